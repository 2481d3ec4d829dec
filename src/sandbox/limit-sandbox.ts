import type { Sandbox, SandboxOutcome, SandboxRun } from './sandbox.js'

/**
 * So many programs at a time; the others wait for their turn. Each depth has its own places, as a program that waits for another would never
 * leave its place otherwise. One that waits for a person takes none: its child is there, and does nothing.
 */
export function limitSandbox(sandbox: Sandbox, { mostAtOnce }: { readonly mostAtOnce: number }): Sandbox {
  const depths = new Map<number, Places>()
  const placesAt = (depth: number): Places => {
    const known = depths.get(depth) ?? createPlaces(mostAtOnce)
    depths.set(depth, known)
    return known
  }

  return {
    ...sandbox,
    run(program, options) {
      const places = placesAt(program.depth)
      const holds = new Set<{ release?: () => void }>()
      let running: SandboxRun | undefined
      let leave = (): void => {}
      const begin = async (): Promise<SandboxOutcome> => {
        leave = await places.enter()
        try {
          running = sandbox.run(program, options)
          for (const hold of holds) hold.release = running.hold()
          return await running.result
        } finally {
          leave()
        }
      }
      return {
        result: begin(),
        logs: () => running?.logs() ?? [],
        hold() {
          const hold: { release?: () => void } = {}
          if (running !== undefined) hold.release = running.hold()
          holds.add(hold)
          // It comes back without waiting: it is there already.
          if (holds.size === 1 && running !== undefined) leave()
          return () => {
            hold.release?.()
            holds.delete(hold)
          }
        },
      }
    },
  }
}

interface Places {
  /** Resolves when there is one; the function it gives leaves it, once. */
  enter(): Promise<() => void>
}

function createPlaces(most: number): Places {
  const queue: (() => void)[] = []
  let taken = 0
  const leave = (): void => {
    const next = queue.shift()
    if (next === undefined) taken -= 1
    else next()
  }
  return {
    async enter() {
      if (taken < most) taken += 1
      else await new Promise<void>((resolve) => queue.push(resolve))
      let isLeft = false
      return () => {
        if (!isLeft) leave()
        isLeft = true
      }
    },
  }
}
