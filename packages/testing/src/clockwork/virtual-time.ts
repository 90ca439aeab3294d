import { createHash, createPublicKey, type JsonWebKey, KeyObject, sign, verify, type webcrypto } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";
import { activeProcess, type SimProcess } from "./sim-process.ts";

/** Node's own functions, which work in real time whichever simulated process is active. */
export const real = { setImmediate, now: (): number => performance.now() };

let installed = false;

/**
 * From now on, moves the timers of simulated processes in this thread to virtual time and makes their signatures synchronous. So an event is complete
 * when its microtasks are done. Code outside the simulated processes uses Node's own timers and signatures.
 */
export function installVirtualTime(): void {
  if (installed) return;
  installed = true;
  replaceTimers();
  replaceSignatures();
}

function replaceTimers(): void {
  const { setTimeout: realSet, clearTimeout: realClear, setInterval: realInterval, clearInterval: realClearInterval } = globalThis;
  const realWait = timersPromises.setTimeout;
  const realDeadline = AbortSignal.timeout.bind(AbortSignal);
  const setVirtual = (task: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): VirtualTimer | NodeJS.Timeout => {
    const process = activeProcess();
    return process ? new VirtualTimer(process, () => task(...args), ms) : realSet(task, ms, ...args);
  };
  Object.assign(globalThis, {
    setTimeout: Object.assign(setVirtual, realSet),
    clearTimeout: (timer: unknown) => (timer instanceof VirtualTimer ? timer.cancel() : realClear(timer as NodeJS.Timeout)),
    setInterval(task: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) {
      const process = activeProcess();
      return process ? new VirtualTimer(process, () => task(...args), ms, { again: true }) : realInterval(task, ms, ...args);
    },
    clearInterval: (timer: unknown) => (timer instanceof VirtualTimer ? timer.cancel() : realClearInterval(timer as NodeJS.Timeout)),
  });
  Object.assign(timersPromises, {
    setTimeout: <T>(ms?: number, value?: T, options?: { readonly signal?: AbortSignal }): Promise<T | undefined> => {
      const process = activeProcess();
      if (!process) return realWait(ms, value, options);
      return new Promise((resolve) => void new VirtualTimer(process, () => resolve(value), ms ?? 0));
    },
  });
  syncBuiltinESMExports();
  AbortSignal.timeout = (ms) => {
    const process = activeProcess();
    if (!process) return realDeadline(ms);
    const controller = new AbortController();
    void new VirtualTimer(
      process,
      () => controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")),
      ms,
    );
    return controller.signal;
  };
}

/** A timer of one simulated process. It ends when the process is killed, and it is late if the process is paused. */
class VirtualTimer {
  cancel: () => void;

  constructor(process: SimProcess, task: () => void, ms: number, { again = false } = {}) {
    const fire = (): void => {
      if (again) this.cancel = process.after(Math.max(1, ms), "timer", fire);
      task();
    };
    this.cancel = process.after(ms, "timer", fire);
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/**
 * Makes signatures and hashes synchronous, with the same values. WebCrypto answers from a thread pool, in an order that does not depend on the seed.
 */
function replaceSignatures(): void {
  const { subtle } = globalThis.crypto;
  const [realSign, realVerify, realDigest] = [subtle.sign.bind(subtle), subtle.verify.bind(subtle), subtle.digest.bind(subtle)];
  rememberKeys(subtle);
  const verified = new Map<string, boolean>();
  subtle.sign = async (algorithm, key, data) => {
    if (!activeProcess()) return realSign(algorithm, key, data);
    return arrayBuffer(sign(null, bytesOf(data), keyObjectOf(key)));
  };
  subtle.verify = async (algorithm, key, signature, data) => {
    if (!activeProcess()) return realVerify(algorithm, key, signature, data);
    // Remembers the answer, because a redelivered message has the same grant. The answer depends only on these three values.
    const name = `${keyNumber(key)} ${bytesOf(signature).toString("latin1")} ${bytesOf(data).toString("latin1")}`;
    const answer = verified.get(name) ?? verify(null, bytesOf(data), keyObjectOf(key), bytesOf(signature));
    if (verified.size > 1000) verified.clear();
    verified.set(name, answer);
    return answer;
  };
  subtle.digest = async (algorithm, data) => {
    if (!activeProcess()) return realDigest(algorithm, data);
    const name = typeof algorithm === "string" ? algorithm : algorithm.name;
    return arrayBuffer(createHash(name.replace("-", "").toLowerCase()).update(bytesOf(data)).digest());
  };
}

// The parts from which a key was made. WebCrypto does not return them.
const keyObjects = new WeakMap<webcrypto.CryptoKey, { readonly key: KeyObject; readonly number: number }>();
let keyCount = 0;

function rememberKeys(subtle: webcrypto.SubtleCrypto): void {
  const realImport = subtle.importKey.bind(subtle) as (...args: readonly unknown[]) => Promise<webcrypto.CryptoKey>;
  const realConvert = KeyObject.prototype.toCryptoKey;
  KeyObject.prototype.toCryptoKey = function toCryptoKey(...args) {
    const made = realConvert.apply(this, args);
    keyObjects.set(made, { key: this, number: ++keyCount });
    return made;
  };
  Object.assign(subtle, {
    async importKey(...args: readonly unknown[]): Promise<webcrypto.CryptoKey> {
      const made = await realImport(...args);
      if (args[0] === "jwk" && made.type === "public") {
        keyObjects.set(made, { key: createPublicKey({ key: args[1] as JsonWebKey, format: "jwk" }), number: ++keyCount });
      }
      return made;
    },
  });
}

function keyObjectOf(key: webcrypto.CryptoKey): KeyObject {
  const known = keyObjects.get(key);
  if (!known) throw new Error("A simulated process uses a key that was made before virtual time was installed.");
  return known.key;
}

function keyNumber(key: webcrypto.CryptoKey): number {
  return keyObjects.get(key)?.number ?? 0;
}

function arrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

function bytesOf(data: ArrayBufferLike | ArrayBufferView): Buffer {
  return data instanceof ArrayBuffer || data instanceof SharedArrayBuffer
    ? Buffer.from(data)
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
