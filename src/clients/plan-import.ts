import type { ServerDefinition } from '../model/server-definition.js'
import type { FoundServer } from './client-format.js'
import { fillMarks, type LiftedServer, liftSecrets } from './lift-secrets.js'
import { alternatives, mendName } from './mend-name.js'
import { createVariableNames } from './name-variables.js'
import { matchExisting, sameServer } from './same-server.js'
import type { ScannedPlace } from './scan-clients.js'

export interface ImportOptions {
  /** The servers that the configuration has, as it writes them. */
  readonly existing: Readonly<Record<string, unknown>>
  /** What a variable holds: in the environment, or in the file of secrets. */
  lookUp(variable: string): string | undefined
  problemOf(serverName: string): string | undefined
}

export interface ImportPlan {
  readonly servers: readonly PlannedServer[]
  /** What the configuration gets, by name. */
  readonly added: Readonly<Record<string, ServerDefinition>>
}

/** What becomes of one server of one client. */
export interface PlannedServer {
  readonly from: ScannedPlace
  readonly found: FoundServer
  /** Its name in the configuration. */
  readonly name: string
  /** `new` is written; `same` is another client's new one; `existing` is there already. */
  readonly fate: 'new' | 'same' | 'existing'
  readonly variables: readonly PlannedVariable[]
  /** Variables of the environment that it refers to. */
  readonly inherits: readonly string[]
}

/** A secret and the variable that stands for it from now on. */
export interface PlannedVariable {
  readonly name: string
  /** As the client writes it. */
  readonly raw: string
  /** Unknown where the client asks for it. */
  readonly value?: string
}

/** Decides names, finds doubles, and turns secrets into references. */
export function planImport(places: readonly ScannedPlace[], options: ImportOptions): ImportPlan {
  const fresh = new Map<string, LiftedServer>()
  const decided = places.flatMap((from) =>
    from.servers.map((found) => {
      const lifted = liftSecrets(found)
      return { from, found, lifted, ...decide(lifted, from, found) }
    }),
  )
  const names = createVariableNames({
    lookUp: options.lookUp,
    used: new Set([...referencesIn(options.existing), ...decided.flatMap(({ lifted }) => lifted.variables)]),
  })
  const variablesOf = new Map<string, readonly string[]>()
  for (const [name, { secrets }] of fresh) {
    variablesOf.set(
      name,
      secrets.map((secret) => names.nameFor(name, secret)),
    )
  }
  return {
    added: Object.fromEntries(
      [...fresh].map(([name, { definition }]) => [
        name,
        fillMarks(definition, (index) => `\${${variablesOf.get(name)![index]}}`),
      ]),
    ),
    servers: decided.map(({ from, found, lifted, name, fate, known }) => {
      const chosen = known ?? variablesOf.get(name)!
      const variables = lifted.secrets.map(({ raw, value }, index) => ({
        name: chosen[index]!,
        raw,
        ...(value === undefined ? {} : { value }),
      }))
      return { from, found, name, fate, variables, inherits: lifted.variables }
    }),
  }

  function decide(lifted: LiftedServer, { client }: ScannedPlace, found: FoundServer): Decision {
    for (const name of alternatives(mendName(found.name, options.problemOf), client.name)) {
      if (Object.hasOwn(options.existing, name)) {
        const known = matchExisting(options.existing[name], lifted, options.lookUp)
        if (known !== undefined) return { name, fate: 'existing', known }
        continue
      }
      const other = fresh.get(name)
      if (other === undefined) {
        fresh.set(name, lifted)
        return { name, fate: 'new' }
      }
      if (sameServer(other, lifted)) return { name, fate: 'same' }
    }
    throw new Error('there is no end of names')
  }
}

interface Decision {
  readonly name: string
  readonly fate: PlannedServer['fate']
  /** The references of the server that is there. */
  readonly known?: readonly string[]
}

/** Every variable that a configuration refers to. */
function referencesIn(value: unknown): readonly string[] {
  const text = JSON.stringify(value)
  return [...text.matchAll(/(?<!\$)\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)/g)].map((match) => match[1]!)
}
