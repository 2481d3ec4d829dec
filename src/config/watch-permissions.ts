import { existsSync } from 'node:fs'
import { noPermissions, type Permissions } from '../model/permissions.js'
import { watchConfig } from './watch-config.js'

export interface PermissionsListeners {
  onPermissions(permissions: Permissions): void
  /** The content is invalid; what was read before stays. */
  onError(error: Error): void
}

/** Takes up changes of mcp-permissions.yaml while the gateway runs. One that is taken away says nothing any more. */
export function watchPermissions(
  places: readonly [string, ...string[]],
  load: () => Promise<Permissions>,
  { onPermissions, onError }: PermissionsListeners,
  timing: { readonly pollMs?: number } = {},
): { close(): void } {
  return watchConfig(
    places,
    load,
    {
      onConfig: onPermissions,
      // An empty file counts as one that is still to be written.
      onError: (error) =>
        places.some((place) => existsSync(place)) ? onError(error) : onPermissions(noPermissions),
    },
    timing,
  )
}
