import { createPrivateKey } from 'node:crypto'
import { createPrivateKeyJwtAuth, type OAuthClientProvider } from '@modelcontextprotocol/client'
import { AuthError } from '../errors.js'
import type { HttpServerConfig, ServerAuth } from '../model/server.js'
import type { AuthClient } from './auth-record.js'

/** How the client proves itself at the token endpoint; empty where the SDK chooses by what the server supports. */
export function clientAuthentication(server: HttpServerConfig): {
  addClientAuthentication?: NonNullable<OAuthClientProvider['addClientAuthentication']>
} {
  const { clientId, privateKey } = authOf(server)
  if (clientId === undefined || privateKey === undefined) return {}
  const sign = createPrivateKeyJwtAuth({
    issuer: clientId,
    subject: clientId,
    privateKey,
    alg: algorithmOf(privateKey, server.name),
  })
  return {
    async addClientAuthentication(headers, params, url, metadata) {
      params.set('client_id', clientId)
      await sign(headers, params, url, metadata)
    },
  }
}

/** The client as token requests need it: a configured secret is read where it is configured. */
export function clientInformation(
  server: HttpServerConfig,
  client: AuthClient,
): {
  client_id: string
  client_secret?: string
  token_endpoint_auth_method?: string
} {
  const secret = client.from === 'configuration' ? authOf(server).clientSecret : client.client_secret
  const { client_id, token_endpoint_auth_method: method } = client
  return {
    client_id,
    ...(secret === undefined ? {} : { client_secret: secret }),
    ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
  }
}

export function authOf({ auth }: HttpServerConfig): ServerAuth {
  return auth === undefined || auth === 'none' ? {} : auth
}

function algorithmOf(pem: string, server: string): string {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    if (asymmetricKeyType === 'rsa') return 'RS256'
    if (asymmetricKeyType === 'ec') {
      return asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'ES384' : 'ES256'
    }
    throw new Error(`a key of type ${asymmetricKeyType}`)
  } catch (cause) {
    throw new AuthError(
      server,
      'auth.privateKey is not a private key that can be used.',
      'Give an RSA or EC key as PEM (PKCS 8), for instance from a file by an environment variable.',
      { cause },
    )
  }
}
