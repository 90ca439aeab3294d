import { docsPage } from "./docs-page.ts";
import { type ApiAbout, type OpenApi, openApiOf } from "./openapi.ts";
import { getRoute, noQuery, type Route } from "./route.ts";

const DOCUMENT = {
  type: "object",
  properties: { openapi: { type: "string" }, info: { type: "object" }, paths: { type: "object" } },
  required: ["openapi", "info", "paths"],
} as const;

/** Returns the public routes `/openapi.json` and `/docs`, which describe all routes, including these two, for machines and for people. */
export function docsRoutes(about: ApiAbout, others: readonly Route[]): readonly Route[] {
  const routes: readonly Route[] = [
    ...others,
    getRoute({
      url: "/openapi.json",
      access: "public",
      docs: {
        operationId: "getOpenApi",
        tag: "Service",
        summary: "This API as an OpenAPI 3.1 document.",
        answers: { 200: { says: "The document.", media: { schema: DOCUMENT } } },
        problems: [],
      },
      query: noQuery,
      handle: async ({ reply }) => {
        reply.type("application/json; charset=utf-8");
        return made().json;
      },
    }),
    getRoute({
      url: "/docs",
      access: "public",
      docs: {
        operationId: "getDocs",
        tag: "Service",
        summary: "This API as a page for people.",
        answers: { 200: { says: "The page.", type: "text/html", media: { schema: { type: "string" } } } },
        problems: [],
      },
      query: noQuery,
      handle: async ({ reply }) => {
        const { html, contentSecurityPolicy } = made();
        reply.header("content-security-policy", contentSecurityPolicy).type("text/html; charset=utf-8");
        return html;
      },
    }),
  ];
  // The first request makes the documents, so that the start does not wait for them. The documents are stored as bytes, so that all unread answers
  // share the same memory.
  let kept: Docs | undefined;
  const made = (): Docs => (kept ??= docsOf(openApiOf(about, routes)));
  return routes.slice(others.length);
}

interface Docs {
  readonly json: Buffer;
  readonly html: Buffer;
  readonly contentSecurityPolicy: string;
}

function docsOf(document: OpenApi): Docs {
  const { html, contentSecurityPolicy } = docsPage(document);
  return { json: Buffer.from(JSON.stringify(document)), html: Buffer.from(html), contentSecurityPolicy };
}
