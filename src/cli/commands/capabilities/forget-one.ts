import type { CapabilityReport, NamedCapability } from '../../../gateway/capabilities-api.js'
import { countOf } from '../../count-of.js'
import { printJson, printLine } from '../../io.js'
import { agrees, nameOf, pathOf, type Telling } from './telling.js'

export async function forgetOne(which: string, telling: Telling): Promise<number> {
  const { api, io, json } = telling
  const { id, name, uses, neededBy } = (await api.get(pathOf(which))) as CapabilityReport
  const question = `Forget ${name}, used ${countOf(uses, 'time')}?${describeNeed(neededBy)}`
  if (!(await agrees(question, telling))) {
    if (json) printJson(io, { forgotten: null })
    else printLine(io, 'Nothing was forgotten.')
    return 1
  }
  const reply = (await api.post(pathOf(id, 'forget'), {})) as {
    readonly forgotten: NamedCapability
    readonly neededBy: readonly NamedCapability[]
  }
  if (json) printJson(io, reply)
  else printLine(io, `Forgot ${name}.${describeNeed(reply.neededBy)}`)
  return 0
}

function describeNeed(by: readonly NamedCapability[]): string {
  return by.length === 0 ? '' : ` Without it these do not work: ${by.map(nameOf).join(', ')}.`
}
