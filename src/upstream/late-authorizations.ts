import type { Authorization } from '../auth/authorization.js'
import type { Authorizations } from '../auth/create-authorizations.js'
import type { HttpServerConfig } from '../model/server.js'
import type { UpstreamsOptions } from './upstreams.js'

/** Loaded with the first server that is reached over HTTP: it brings the SDK's client along. */
export interface LateAuthorizations {
  of(server: HttpServerConfig): Promise<Authorization | undefined>
  close(): Promise<void>
}

export function lateAuthorizations({ auth, limits, log }: UpstreamsOptions): LateAuthorizations {
  let loading: Promise<Authorizations> | undefined
  if (auth === undefined) return { of: async () => undefined, close: async () => {} }
  const load = async (): Promise<Authorizations> => {
    const [{ createAuthorizations }, { limitedFetch }] = await Promise.all([
      import('../auth/create-authorizations.js'),
      import('./limited-fetch.js'),
    ])
    const { dataDirectory, onSecrets, authorize } = auth
    const fetch = limitedFetch(limits.maxMessageBytes)
    return createAuthorizations({ dataDirectory, onSecrets, authorize, fetch, log })
  }
  return {
    async of(server) {
      loading ??= load()
      return (await loading).of(server)
    },
    async close() {
      await (await loading)?.close()
    },
  }
}
