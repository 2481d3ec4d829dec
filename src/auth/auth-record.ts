import { z } from 'zod'

/**
 * What is kept of one sign-in, as it stands in its file. It belongs to one server's address and one authorization server:
 * for any other it counts as absent, so that no token reaches a host it was not made for.
 */
const clientSchema = z.object({
  client_id: z.string(),
  client_secret: z.string().optional(),
  token_endpoint_auth_method: z.string().optional(),
  redirect_uris: z.array(z.string()).optional(),
  /** `configuration`: its secret stays there and is not written down a second time. */
  from: z.enum(['registration', 'document', 'configuration']),
  /** The authorization server does not know it any more: the next sign-in registers anew. */
  refused: z.boolean().optional(),
})

const tokensSchema = z.object({
  access_token: z.string(),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  obtainedAt: z.number(),
  /** Absent where the server did not say: then it lasts until it is refused. */
  expiresAt: z.number().optional(),
  /** When the refresh token was refused for good: from then on only the access token is used, while it lasts. */
  endedAt: z.number().optional(),
})

const recordSchema = z.object({
  version: z.literal(1),
  server: z.string(),
  url: z.string(),
  issuer: z.string(),
  authorizationServerUrl: z.string(),
  /** Of the authorization server, as it was found (RFC 8414). */
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** The resource indicator that tokens are asked for (RFC 8707). */
  resource: z.string().optional(),
  client: clientSchema.optional(),
  tokens: tokensSchema.optional(),
  /** What a call was refused for: the next sign-in asks for it as well. */
  wantedScope: z.string().optional(),
})

export type AuthRecord = Readonly<z.output<typeof recordSchema>>
export type AuthClient = Readonly<z.output<typeof clientSchema>>
export type AuthTokens = Readonly<z.output<typeof tokensSchema>>

/** Throws what zod or JSON has to say about a text that is none. */
export function parseAuthRecord(text: string): AuthRecord {
  return recordSchema.parse(JSON.parse(text))
}

/** Every value of a record that must not be seen. */
export function secretsOf({ client, tokens }: AuthRecord): readonly string[] {
  return [tokens?.access_token, tokens?.refresh_token, client?.client_secret].filter(
    (secret) => secret !== undefined,
  )
}
