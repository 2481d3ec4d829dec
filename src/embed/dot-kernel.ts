/**
 * Dot products of one vector of bytes with many, by the processor's vector instructions: some fifteen times as fast as the
 * same loop in JavaScript (20,000 vectors of 384 in .8 ms instead of 13). 210 bytes of WebAssembly, made from this text (wabt 1.0):
 *
 *     (module
 *       (memory (export "memory") 1)
 *       (func (export "dots") (param $vectors i32) (param $count i32) (param $stride i32) (param $query i32) (param $out i32)
 *         (local $at i32) (local $sum v128) (local $a v128) (local $b v128)
 *         (block $done
 *           (loop $vector
 *             (br_if $done (i32.eqz (local.get $count)))
 *             (local.set $sum (v128.const i32x4 0 0 0 0))
 *             (local.set $at (i32.const 0))
 *             (loop $more
 *               (local.set $a (v128.load (i32.add (local.get $vectors) (local.get $at))))
 *               (local.set $b (v128.load (i32.add (local.get $query) (local.get $at))))
 *               (local.set $sum (i32x4.add (local.get $sum) (i32x4.add
 *                 (i32x4.extadd_pairwise_i16x8_s (i16x8.extmul_low_i8x16_s (local.get $a) (local.get $b)))
 *                 (i32x4.extadd_pairwise_i16x8_s (i16x8.extmul_high_i8x16_s (local.get $a) (local.get $b))))))
 *               (br_if $more (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $stride))))
 *             (i32.store (local.get $out) (i32.add
 *               (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
 *               (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
 *             (local.set $vectors (i32.add (local.get $vectors) (local.get $stride)))
 *             (local.set $out (i32.add (local.get $out) (i32.const 4)))
 *             (local.set $count (i32.sub (local.get $count) (i32.const 1)))
 *             (br $vector)))))
 */
const code =
  'AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAAQcRAgZtZW1vcnkCAARkb3RzAAAKoAEBnQECAX8DewJAA0AgAUUNAf0MAAAAAAAAAAAAAAAAAAAAACEG' +
  'QQAhBQNAIAAgBWr9AAQAIQcgAyAFav0ABAAhCCAGIAcgCP2cAf1+IAcgCP2dAf1+/a4B/a4BIQYgBUEQaiIFIAJJDQALIAQgBv0bACAG/RsBaiAG/RsC' +
  'IAb9GwNqajYCACAAIAJqIQAgBEEEaiEEIAFBAWshAQwACwsL'

/** All numbers are places and lengths in bytes of `memory`; the stride is a multiple of 16. */
export interface DotKernel {
  readonly memory: Memory
  /** Writes `count` sums as 32-bit numbers to `out`. */
  dots(vectors: number, count: number, stride: number, query: number, out: number): void
}

interface Memory {
  /** Another one after each `grow`. */
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/** As much as is used here: the types of Node leave it to the browser's. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
  readonly Memory: new (size: { readonly initial: number }) => Memory
}

/** Where the processor lacks these instructions, or WebAssembly is switched off: the same in JavaScript. */
export function createDotKernel(make: () => DotKernel = compile): DotKernel {
  try {
    return make()
  } catch {
    return plainKernel()
  }
}

let compiled: object | undefined

function compile(): DotKernel {
  compiled ??= new WebAssembly.Module(Buffer.from(code, 'base64'))
  return new WebAssembly.Instance(compiled).exports as DotKernel
}

export function plainKernel(): DotKernel {
  const memory = new WebAssembly.Memory({ initial: 1 })
  return {
    memory,
    dots(vectors, count, stride, query, out) {
      const bytes = new Int8Array(memory.buffer)
      const sums = new Int32Array(memory.buffer)
      for (let n = 0; n < count; n++) {
        let sum = 0
        const start = vectors + n * stride
        for (let i = 0; i < stride; i++) sum += bytes[start + i]! * bytes[query + i]!
        sums[out / 4 + n] = sum
      }
    },
  }
}
