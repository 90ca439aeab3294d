import { hash } from "node:crypto";
import { HOME_SHARD, isJsonObject, type Json, keys } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";
import { idempotencyKey, keyReused, type Route } from "@toolbus/runtime";
import type { SealedStore } from "../sealed/sealed-store.ts";

const KEPT_MS = 48 * 3_600_000;
const REPLAY = "`true` when this repeats the answer to an earlier request with the same Idempotency-Key.";

/**
 * Returns the same routes, but the answer of each POST is stored under its `Idempotency-Key`. A repeat gets that answer, and a key that is reused
 * with another body is refused. Refusals are not stored, so that a corrected request may use the same key. If a process dies between the effect and
 * its record, a repeat is executed. The second execution changes nothing, or reports that the state has changed.
 */
export function withOperatorKeys(routes: readonly Route[], sealed: SealedStore): readonly Route[] {
  return routes.map((route) => (route.method === "POST" ? keyed(route, sealed) : route));
}

function keyed(route: Route, sealed: SealedStore): Route {
  const { docs } = route;
  const answers = Object.entries(docs.answers).map(([status, answer]) => [
    status,
    { ...answer, headers: { ...answer.headers, "idempotent-replay": REPLAY } },
  ]);
  return {
    ...route,
    docs: { ...docs, answers: Object.fromEntries(answers), problems: [...docs.problems, "idempotency_key_reused"] },
    async handle(request, reply, principal) {
      const key = idempotencyKey(request);
      if (key === undefined) return route.handle(request, reply, principal);
      const name = keys.operatorKey(hashOf([principal.tenant, principal.id, request.url, key]));
      const bodyHash = hashOf((request.body ?? null) as Json);
      const { documents } = await sealed.read([name]);
      const kept = documents[0]?.opened;
      if (kept?.kind === "genuine" && isJsonObject(kept.value)) {
        if (kept.value["bodyHash"] !== bodyHash) throw keyReused();
        reply.header("idempotent-replay", "true");
        return kept.value["answer"];
      }
      const answer = (await route.handle(request, reply, principal)) as Json;
      const { now } = await sealed.read([]);
      const put = [{ key: name, value: { bodyHash, answer }, expiresAt: now + KEPT_MS }];
      // If two requests race, the first one's answer is stored.
      await sealed.store.commit(HOME_SHARD, { op: `key:${name}:${bodyHash}`, guards: [{ key: name, version: 0 }], put });
      return answer;
    },
  };
}

function hashOf(value: Json): string {
  return hash("sha256", canonicalJson(value), "base64url");
}
