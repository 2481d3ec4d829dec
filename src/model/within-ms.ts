/** The promise's outcome, or `late` when it takes longer; the work behind it goes on either way. */
export async function withinMs<Value, Late>(
  promise: Promise<Value>,
  ms: number,
  late: Late,
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<Late>((resolve) => {
    timer = setTimeout(resolve, ms, late)
  })
  try {
    return await Promise.race([promise, timeUp])
  } finally {
    clearTimeout(timer)
  }
}
