import { defineAnswerCommand } from '../answer-command.js'

export const approveCommand = defineAnswerCommand('approve')
