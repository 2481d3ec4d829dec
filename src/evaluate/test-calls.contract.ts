/** Sessions that are easy to foretell: a user's orders are listed, looked at one by one, and the last is cancelled. */
export function orderSessions(count: number): readonly {
  readonly id: string
  readonly group: string
  readonly query: string
  readonly calls: readonly object[]
}[] {
  return Array.from({ length: count }, (_, at) => {
    const user = `user_${100 + at}`
    const orders = Array.from({ length: 3 + (at % 2) }, (_, i) => `W${7000 + at * 10 + i}`)
    const steps = [
      { tool: 'list_orders', arguments: { user }, result: JSON.stringify({ user, orders }) },
      ...orders.map((order) => ({
        tool: 'get_order',
        arguments: { order },
        result: JSON.stringify({ order, status: 'open' }),
      })),
      { tool: 'cancel_order', arguments: { order: orders.at(-1)! }, result: 'cancelled' },
    ]
    return {
      id: `s${at}`,
      group: `g${at >> 1}`,
      query: `I am ${user}. Cancel my last order.`,
      calls: steps.map((step, turn) => ({ turn, ...step })),
    }
  })
}
