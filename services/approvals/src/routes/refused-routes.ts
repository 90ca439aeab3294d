import {
  type AdoptDocument,
  adoptDocument,
  AdoptedDocument,
  declared,
  keys,
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

/** What operators see of documents and messages that approvals refused, and what they may vouch for. These belong to no tenant. */
export function refusedRoutes({ refused, seals, state }: RefusedRoutesOptions): readonly Route[] {
  return [
    getRoute({
      url: "/v1/seals",
      access: OPERATORS,
      docs: {
        operationId: "getSeals",
        tag: TAG,
        summary: "How many documents of approvals are sealed or signed with another key than the current one.",
        description: "An old key may be removed when there are none left, two days after the new one was first used.",
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
        summary: "Seals and signs them again with the current key.",
        description: "Approvals, pins and the era. Only seal and signature change. It may be repeated.",
        answers: {
          200: { says: "How many were sealed again, and how many are left.", body: views.seals, example: { left: 0, resealed: 3 } },
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
        summary: "Documents of approvals in the store that do not count.",
        description:
          "Documents of pending approvals, registered writes and the era. Anybody may have written their content: earlier versions wrote no seals, and neither does anybody else who can write to the store.",
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
        summary: "Has approvals seal an unsealed document, exactly as the caller saw it.",
        description:
          "The caller vouches for it, by name, in the audit. A forged document, an older one, or a decided approval is never adopted.",
        answers: { 200: { says: "The document counts.", body: views.adopted, example: { document: document.document, adopted: true } } },
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
        summary: "Security events: what no honest service or person does, as approvals recorded it, newest first.",
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
