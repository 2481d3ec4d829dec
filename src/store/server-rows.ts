import type { ServerState } from '../model/server.js'
import type { Parameter, Queryable } from './database.js'
import { encodeJson, encodeText } from './stored-text.js'

/** The given servers are present, all others are not; a row is never deleted. */
export async function replaceServers(transaction: Queryable, servers: readonly ServerState[]): Promise<void> {
  const unique = [...new Map(servers.map((server) => [server.name, server])).values()]
  // Two replicas that save at once would otherwise lock these rows in different orders.
  await transaction.query('lock table servers in share row exclusive mode')
  await transaction.query(upsert, toColumns(unique))
  await transaction.query(
    'update servers set present = false, updated_at = now() where present and name <> all($1::text[])',
    [unique.map((server) => encodeText(server.name))],
  )
}

const upsert = `
  insert into servers (name, transport, status, present, tool_count, from_snapshot, trouble, retry_at,
    protocol_version, server_info, pids, updated_at)
  select name, transport, status, true, tool_count, from_snapshot, trouble, to_timestamp(retry_at / 1000),
    protocol_version, server_info, pids, now()
  from unnest(
    $1::text[], $2::text[], $3::text[], $4::integer[], $5::boolean[], $6::text[], $7::double precision[],
    $8::text[], $9::text[], $10::text[]
  ) as given (name, transport, status, tool_count, from_snapshot, trouble, retry_at,
    protocol_version, server_info, pids)
  on conflict (name) do update set
    transport = excluded.transport, status = excluded.status, present = true, tool_count = excluded.tool_count,
    from_snapshot = excluded.from_snapshot, trouble = excluded.trouble, retry_at = excluded.retry_at,
    protocol_version = excluded.protocol_version, server_info = excluded.server_info, pids = excluded.pids,
    updated_at = excluded.updated_at`

function toColumns(servers: readonly ServerState[]): readonly Parameter[] {
  return [
    servers.map((server) => encodeText(server.name)),
    servers.map((server) => server.transport),
    servers.map((server) => server.status),
    servers.map((server) => server.toolCount),
    servers.map((server) => server.fromSnapshot),
    servers.map((server) => (server.trouble ? encodeJson(server.trouble) : null)),
    servers.map((server) => server.retryAt ?? null),
    servers.map((server) =>
      server.protocolVersion === undefined ? null : encodeText(server.protocolVersion),
    ),
    servers.map((server) => (server.serverInfo ? encodeJson(server.serverInfo) : null)),
    servers.map((server) => encodeJson(server.pids)),
  ]
}
