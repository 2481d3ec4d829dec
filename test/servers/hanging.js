// A server that reads everything and never answers anything.
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
process.stderr.write('hanging: thinking about it\n')
