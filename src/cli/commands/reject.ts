import { defineAnswerCommand } from '../answer-command.js'

export const rejectCommand = defineAnswerCommand('reject')
