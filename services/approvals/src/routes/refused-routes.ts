import {
  type AdoptDocument,
  adoptDocument,
  AdoptedDocument,
  declared,
  keys,
  OLD_SEALS_MS,
  RefusedList,
  SealsView,
  SecurityEvents,
  securityQuery,
} from "@toolbus/contracts";
import { getRoute, HttpProblem, noBody, noQuery, postRoute, type Route } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { RefusedDocuments } from "../sealed/refused-documents.ts";
import type { Seals } from "../sealed/reseal.ts";
import { securityEvents } from "../sealed/security-events.ts";

export interface RefusedRoutesOptions {
  readonly refused: RefusedDocuments;
  readonly seals: Seals;
  readonly state: StateStore;
}

const TAG = "Security";
const OPERATORS = ["operator"] as const;
const DAY_MS = 86_400_000;
const LISTED = 20;

/**
 * Returns the routes with which operators see refused documents and messages, adopt documents and seal them again. The documents and messages belong
 * to no tenant.
 */
export function refusedRoutes({ refused, seals, state }: RefusedRoutesOptions): readonly Route[] {
  return [
    getRoute({
      url: "/v1/seals",
      access: OPERATORS,
      docs: {
        operationId: "getSeals",
        tag: TAG,
        summary: "Counts the documents of approvals that were sealed or signed with a key other than the current one.",
        description: `You may remove an old signing key when none are left, and the grants that it signed have ended. An old seal key has to stay for ${OLD_SEALS_MS / DAY_MS} days after the new one was first used, because decision tokens, counts and the lists of waiting writes are not sealed again.`,
        answers: { 200: { says: "The count.", body: views.seals, example: { left: 3, resealed: 0 } } },
        problems: [],
      },
      query: noQuery,
      handle: async () => ({ left: await seals.left(), resealed: 0 }),
    }),
    postRoute({
      url: "/v1/seals/again",
      access: OPERATORS,
      docs: {
        operationId: "resealDocuments",
        tag: TAG,
        summary: "Seals or signs these documents again with the current key.",
        description:
          "The documents are approvals, pins, the era, the probe and the ends of audit chains. Only the seals and signatures change. It is safe to repeat the request.",
        answers: {
          200: {
            says: "The number of documents that were sealed again, and the number that are left.",
            body: views.seals,
            example: { left: 0, resealed: 3 },
          },
        },
        problems: [],
      },
      body: noBody,
      rate: null,
      handle: ({ principal }) => seals.again(principal.id),
    }),
    getRoute({
      url: "/v1/refused",
      access: OPERATORS,
      docs: {
        operationId: "listRefused",
        tag: TAG,
        summary: "Lists the documents of approvals in the store that approvals refuses.",
        description:
          "The list covers pending approvals, registered writes, the era and the chains of the audit. Nobody knows who wrote an unsealed document. An earlier version may have stored it without a seal, or somebody else who can write to the store.",
        answers: { 200: { says: "The documents.", body: views.list, example: { documents: [document] } } },
        problems: [],
      },
      query: noQuery,
      handle: async () => ({ documents: await refused.list() }),
    }),
    postRoute({
      url: "/v1/refused/adopt",
      access: OPERATORS,
      docs: {
        operationId: "adoptDocument",
        tag: TAG,
        summary: "Seals an unsealed document as the caller saw it, except that an approval loses its decisions.",
        description:
          "The audit records the name of the caller, who vouches for the document. The tier of an adopted approval decides how many people have to approve it. Approvals never adopts a forged document, an older one, or a decided approval. For the refused end of a chain, it continues the chain after the last record that a genuine checkpoint signs, with a record of the break.",
        answers: {
          200: {
            says: "Approvals accepts the document from now on.",
            body: views.adopted,
            example: { document: document.document, adopted: true },
          },
        },
        problems: ["conflict"],
      },
      body: {
        declared: adoptDocument,
        required: true,
        examples: [{ document: document.document, version: 7 }],
        remedy: 'Send {"document": "…", "version": …} as GET /v1/refused shows them.',
      },
      rate: null,
      handle: ({ body, principal }) => adopt(body, principal.id),
    }),
    getRoute({
      url: "/v1/security",
      access: OPERATORS,
      docs: {
        operationId: "listSecurityEvents",
        tag: TAG,
        summary: "Lists the recorded security events, newest first. Each one is something that no honest service or person does.",
        answers: { 200: { says: "The events.", body: views.events, example: { since: AT - DAY_MS, count: 1, events: [event] } } },
        problems: [],
      },
      query: securityQuery,
      async handle({ query: { since, limit = LISTED } }) {
        const { now } = await state.read([keys.era()]);
        const from = since ?? now - DAY_MS;
        return { since: from, ...(await securityEvents(state, { since: from, limit })) };
      },
    }),
  ];

  async function adopt(wanted: AdoptDocument, by: string): Promise<AdoptedDocument> {
    const outcome = await refused.adopt(wanted, by);
    if (outcome === "done") return { document: wanted.document, adopted: true };
    throw new HttpProblem("conflict", outcome.reason, { remedy: "Read GET /v1/refused again." });
  }
}

const views = {
  list: declared("RefusedList", RefusedList),
  adopted: declared("AdoptedDocument", AdoptedDocument),
  events: declared("SecurityEvents", SecurityEvents),
  seals: declared("Seals", SealsView),
} as const;

const AT = 1_763_718_400_000;
const document = {
  document: "tb:era:{00}:era",
  kind: "era",
  version: 7,
  why: "unsealed",
  detail: "it has no signature",
  adoptable: true,
  says: { era: 1_763_718_400, raisedAt: AT, reason: "restored from the backup of midnight" },
} as const;
const event = {
  shard: "00",
  at: AT,
  kind: "message_refused",
  by: "/agents/default",
  details: { topic: "approval.rollback", why: "unsigned" },
} as const;
