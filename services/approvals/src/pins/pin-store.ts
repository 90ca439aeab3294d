import { describeProblems, HOME_SHARD, type Json, keys, parsePin, type Pin } from "@toolbus/contracts";
import { commitRepeatedly } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { auditedPin, type PinEvent } from "../machine/audit.ts";
import type { NotGenuine, ReadDocument, SealedStore } from "../sealed/sealed-store.ts";

/** A pin as it is stored. Version 0: there is no document. */
export interface StoredPin {
  readonly version: number;
  /** Null if there is none, or it does not count. */
  readonly pin: Pin | null;
  /** Why an existing one does not count. */
  readonly fault: NotGenuine | "damaged" | null;
}

export const NO_PIN: StoredPin = { version: 0, pin: null, fault: null };

/** A pin that is to be written over the version that was read. */
export interface PinPut {
  readonly key: string;
  readonly version: number;
  readonly pin: Pin;
}

/** The documents of pins; approvals' signature is checked as they are read. */
export interface PinStore {
  /** The tool's pin, and those of these other definitions besides it. */
  read(
    tool: string,
    hashes?: readonly string[],
  ): Promise<{ readonly now: number; readonly main: StoredPin; readonly besides: readonly StoredPin[] }>;
  /** A document that was read together with others. */
  of(document: ReadDocument | undefined): StoredPin;
  /** Writes pins in one commit, each with its record in the audit. False if one of them changed in the meantime. */
  write(puts: readonly [PinPut, ...PinPut[]], done: { readonly event: PinEvent; readonly op: string }): Promise<boolean>;
}

export function pinStore({ sealed, log }: { readonly sealed: SealedStore; readonly log: Log }): PinStore {
  const { store: state } = sealed;
  // A pin is parsed once: its schemas are compiled once per object, and a compiled schema is never freed. It is recognised by its
  // signature, because anybody with access could have set the store's version.
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
