import { HOME_SHARD, keys, parseRegistration, parseRemoval, registryMember } from "@toolbus/contracts";
import { signedReader, type TrustedKeys } from "@toolbus/grants";
import { pause } from "@toolbus/runtime";
import { commitRepeatedly, type StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { unregister } from "@toolbus/tool-kit";

export interface RemovingOptions {
  readonly state: StateStore;
  readonly log: Log;
  readonly trusted: TrustedKeys;
  readonly everyMs: number;
}

/**
 * Removes registrations that operators asked to remove. The requester and the registration are in a document that approvals signed, and the index
 * only names this document. A registration that was made after the request is a new one, and is not removed.
 */
export function removeRegistrations({ state, log, trusted, everyMs }: RemovingOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const requests = signedReader({ typ: "tb-removal+jwt", keys: trusted.of("approvals") });
  let reported = false;
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        const { members } = await state.page(keys.removals(), { limit: PAGE });
        for (const { member } of members) await remove(member);
        reported = false;
      } catch (error) {
        if (!reported) log.warn({ error }, "registrations could not be removed; it is retried");
        reported = true;
      }
      await pause(everyMs, stopping.signal);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };

  async function remove(member: string): Promise<void> {
    const key = keys.removal(member);
    const { documents } = await state.read([key]);
    const [document] = documents;
    const verdict = document ? await requests.read(key, document.value) : null;
    if (verdict?.kind === "genuine") await removeWanted(member, parseRemoval(document?.value));
    else if (verdict)
      log.warn(
        { member, why: verdict.kind, detail: verdict.detail },
        "a request to remove a registration is not approvals' own, and is dropped",
      );
    await forget(member);
  }

  /**
   * Removes the request from the list. Only approvals may write the document of the request, so the commit is guarded by the registration's document
   * instead.
   */
  async function forget(member: string): Promise<void> {
    const [, toolset = "none", tool = "none", version = "none"] = /^([^/]+)\/([^@]+)@(.+)$/.exec(member) ?? [];
    const key = keys.registration(toolset, tool, version);
    const { now, documents } = await state.read([key]);
    await commitRepeatedly(state, HOME_SHARD, {
      op: `removal-over:${member}:${now}`,
      guards: [{ key, version: documents[0]?.version ?? 0 }],
      index: [{ index: keys.removals(), member, score: null }],
    });
  }

  async function removeWanted(member: string, request: ReturnType<typeof parseRemoval>): Promise<void> {
    if (!request.ok || registryMember(request.value) !== member) return;
    const { toolset, tool, version, hash, registeredAt, by } = request.value;
    const { documents } = await state.read([keys.registration(toolset, tool, version)]);
    const found = parseRegistration(documents[0]?.value);
    if (!found.ok || found.value.hash !== hash || found.value.registeredAt !== registeredAt) return;
    if (await unregister(state, toolset, tool, version)) log.info({ toolset, tool, version, by }, "a registration was removed");
  }
}

const PAGE = 100;
