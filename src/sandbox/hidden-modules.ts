/**
 * An import map that leads Node's modules nowhere. They can be imported without any permission, and some of them do harm without any:
 * `node:v8` sets flags of the engine, `node:worker_threads` starts threads, `node:process` writes to standard output.
 */
export const hiddenModules = { imports: Object.fromEntries(names().map((name) => [`node:${name}`, 'none:'])) }

function names(): readonly string[] {
  return `_http_agent _http_client _http_common _http_incoming _http_outgoing _http_server _stream_duplex _stream_passthrough
    _stream_readable _stream_transform _stream_wrap _stream_writable _tls_common _tls_wrap assert assert/strict async_hooks buffer
    child_process cluster console constants crypto dgram diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https
    inspector inspector/promises module net os path path/posix path/win32 perf_hooks process punycode querystring quic readline
    readline/promises repl sea sqlite stream stream/consumers stream/promises stream/web string_decoder sys test test/mock_loader
    test/reporters timers timers/promises tls trace_events tty url util util/types v8 vm wasi worker_threads zlib`
    .trim()
    .split(/\s+/)
}
