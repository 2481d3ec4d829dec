/**
 * k-means: points fall to the nearest of k centres, and each centre moves to the mean of its points, until nobody changes. Starts are
 * drawn by k-means++ (far from the centres so far), several times; the tightest result is taken, the first of equals.
 *
 * References: S. P. Lloyd. Least squares quantization in PCM. IEEE Transactions on Information Theory 28(2), 1982. D. Arthur,
 * S. Vassilvitskii. k-means++: the advantages of careful seeding. SODA 2007.
 */
export interface KMeansOptions {
  /** One after the other, each of `dimension` numbers. */
  readonly points: Float64Array
  readonly dimension: number
  /** At most as many as there are points. */
  readonly k: number
  readonly random: () => number
}

/** By point, below k. */
export function kMeans({ points, dimension, k, random }: KMeansOptions): Uint32Array<ArrayBuffer> {
  const size = points.length / dimension
  let best: Uint32Array<ArrayBuffer> = new Uint32Array(size)
  let least = Infinity
  for (let start = 0; start < starts; start++) {
    const labels = new Uint32Array(size)
    const spread = improve(points, dimension, drawCentres({ points, dimension, k, random }), labels)
    // Sums of the same partition differ by rounding; which of two equals comes first must not hang on it.
    if (spread < least - 1e-9 * size) {
      best = labels
      least = spread
    }
  }
  return best
}

const starts = 5
const mostRounds = 50

function drawCentres({ points, dimension, k, random }: KMeansOptions): Float64Array {
  const size = points.length / dimension
  const centres = new Float64Array(k * dimension)
  const distances = new Float64Array(size).fill(Infinity)
  let chosen = Math.floor(random() * size)
  for (let centre = 0; centre < k; centre++) {
    centres.set(points.subarray(chosen * dimension, (chosen + 1) * dimension), centre * dimension)
    let total = 0
    for (let point = 0; point < size; point++) {
      const distance = squaredDistance(points, point * dimension, centres, centre * dimension, dimension)
      if (distance < distances[point]!) distances[point] = distance
      total += distances[point]!
    }
    let left = random() * total
    chosen = 0
    // Stays at the last point with any distance where rounding leaves something over.
    for (let point = 0; point < size && left >= 0; point++) {
      if (distances[point] === 0) continue
      chosen = point
      left -= distances[point]!
    }
  }
  return centres
}

/** Fills in the labels and moves the centres; gives the sum of squared distances. */
function improve(
  points: Float64Array,
  dimension: number,
  centres: Float64Array,
  labels: Uint32Array,
): number {
  const size = labels.length
  const k = centres.length / dimension
  const counts = new Uint32Array(k)
  const distances = new Float64Array(size)
  let spread = Infinity
  for (let round = 0; round < mostRounds; round++) {
    const changes = assign(points, dimension, centres, labels, distances)
    spread = 0
    for (let point = 0; point < size; point++) spread += distances[point]!
    if (round > 0 && changes === 0) break
    counts.fill(0)
    centres.fill(0)
    for (let point = 0; point < size; point++) {
      const centre = labels[point]!
      counts[centre]! += 1
      for (let i = 0; i < dimension; i++) centres[centre * dimension + i]! += points[point * dimension + i]!
    }
    for (let centre = 0; centre < k; centre++) {
      if (counts[centre] === 0) {
        // Nobody's centre: it starts again at the point that is farthest from its own.
        const far = distances.reduce((most, distance, i) => (distance > distances[most]! ? i : most), 0)
        distances[far] = 0
        centres.set(points.subarray(far * dimension, (far + 1) * dimension), centre * dimension)
      } else for (let i = 0; i < dimension; i++) centres[centre * dimension + i]! /= counts[centre]!
    }
  }
  return spread
}

/** Gives how many points changed. */
function assign(
  points: Float64Array,
  dimension: number,
  centres: Float64Array,
  labels: Uint32Array,
  distances: Float64Array,
): number {
  const k = centres.length / dimension
  let changes = 0
  for (let point = 0; point < labels.length; point++) {
    let nearest = 0
    let least = Infinity
    for (let centre = 0; centre < k; centre++) {
      const distance = squaredDistance(points, point * dimension, centres, centre * dimension, dimension)
      if (distance < least) {
        least = distance
        nearest = centre
      }
    }
    if (labels[point] !== nearest) changes += 1
    labels[point] = nearest
    distances[point] = least
  }
  return changes
}

function squaredDistance(
  a: Float64Array,
  atA: number,
  b: Float64Array,
  atB: number,
  dimension: number,
): number {
  let sum = 0
  for (let i = 0; i < dimension; i++) {
    const difference = a[atA + i]! - b[atB + i]!
    sum += difference * difference
  }
  return sum
}
