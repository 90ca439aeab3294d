import { describeProblems, HOME_SHARD, type Json, keys, parsePin, type Pin } from "@toolbus/contracts";
import { commitRepeatedly } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { auditedPin, type PinEvent } from "../machine/audit.ts";
import type { NotGenuine, ReadDocument, SealedStore } from "../sealed/sealed-store.ts";

/** A stored pin. Its version is 0 if no document exists. */
export interface StoredPin {
  readonly version: number;
  /** The pin, or null if none exists or the stored one is not valid. */
  readonly pin: Pin | null;
  /** Why the stored pin is not valid, or null if nothing is wrong with it. */
  readonly fault: NotGenuine | "damaged" | null;
}

export const NO_PIN: StoredPin = { version: 0, pin: null, fault: null };

/** A pin to write over the version that was read. */
export interface PinPut {
  readonly key: string;
  readonly version: number;
  readonly pin: Pin;
}

/** The documents of pins. Every read checks approvals' signature. */
export interface PinStore {
  /** Returns the tool's pin, and the pins of these other definitions beside it. */
  read(
    tool: string,
    hashes?: readonly string[],
  ): Promise<{ readonly now: number; readonly main: StoredPin; readonly besides: readonly StoredPin[] }>;
  /** Returns the pin in a document that was read together with others. */
  of(document: ReadDocument | undefined): StoredPin;
  /** Writes pins in one commit, each with its record in the audit. Returns false if one of them changed in the meantime. */
  write(puts: readonly [PinPut, ...PinPut[]], done: { readonly event: PinEvent; readonly op: string }): Promise<boolean>;
}

export function pinStore({ sealed, log }: { readonly sealed: SealedStore; readonly log: Log }): PinStore {
  const { store: state } = sealed;
  // Each pin is parsed only once, because its schemas are compiled once per object and a compiled schema is never freed. The signature identifies the
  // pin here, because anybody with access to the store could have set the version.
  const parsed = new Map<string, { readonly signature: string; readonly pin: Pin }>();
  return {
    async read(tool, hashes = []) {
      const pinKeys = [keys.pin(tool), ...hashes.map((hash) => keys.pinBeside(tool, hash))];
      const { now, documents } = await sealed.read(pinKeys);
      const [main = NO_PIN, ...besides] = documents.map(of);
      return { now, main, besides };
    },
    of,
    async write(puts, { event, op }) {
      const reply = await commitRepeatedly(state, HOME_SHARD, {
        op,
        guards: puts.map(({ key, version }) => ({ key, version })),
        put: puts.map(({ key, pin }) => ({ key, value: pin as Json })),
        append: [{ log: keys.audit(HOME_SHARD), entries: puts.map(({ pin }, n) => auditedPin(pin, n === 0 ? event : "pinned")) }],
      });
      return reply.outcome === "ok";
    },
  };

  function of(document: ReadDocument | undefined): StoredPin {
    if (!document || document.opened.kind === "absent") return NO_PIN;
    const { key, opened } = document;
    const { version } = opened;
    if (opened.kind === "refused") {
      const { why, detail } = opened;
      log.error({ key, why, detail }, "a pin is not what approvals stored; its tool gets no grants");
      return { version, pin: null, fault: why };
    }
    const signature = signatureOf(opened.value);
    const known = parsed.get(key);
    if (known && known.signature === signature) return { version, pin: known.pin, fault: null };
    const result = parsePin(opened.value);
    if (!result.ok) {
      log.error({ key, fault: describeProblems(result.problems) }, "a pin is damaged; its tool gets no grants");
      return { version, pin: null, fault: "damaged" };
    }
    parsed.set(key, { signature, pin: result.value });
    return { version, pin: result.value, fault: null };
  }
}

function signatureOf(value: Json): string {
  const signature = typeof value === "object" && value !== null && "signature" in value ? value["signature"] : null;
  return typeof signature === "string" ? signature : "";
}
