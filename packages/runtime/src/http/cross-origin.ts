import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import { Refusal } from "../refusal.ts";

/** The response headers that a page of another origin may read. */
const READABLE = ["location", "retry-after", "idempotent-replay", "x-toolbus-run-id", "www-authenticate"];
const SENT = ["authorization", "content-type", "accept", "idempotency-key", "last-event-id"];
const PREFLIGHT_SECONDS = 600;

/**
 * Returns the origins in a comma-separated list, in the form that browsers send (RFC 6454). Throws a `Refusal` for anything else. An address with a
 * path would never match an origin. `*` is not allowed, because it would allow every page to use a key that the page has obtained.
 */
export function readOrigins(variable: string, list: string): readonly string[] {
  return list
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map((text) => {
      if (originOf(text) === text) return text;
      const near = originOf(text);
      throw new Refusal(
        `${variable} names "${text.slice(0, 120)}", which is not an origin: write only scheme, host and port, as in ${near ?? "https://chat.example.com"}.`,
      );
    });
}

function originOf(text: string): string | null {
  const url = URL.parse(text);
  return url && (url.protocol === "http:" || url.protocol === "https:") ? url.origin : null;
}

/**
 * Allows pages of these origins to call every route with their own keys (CORS of the Fetch standard). If the list is empty, it adds no header, and
 * browsers refuse pages of other origins.
 */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: [...origins],
    methods: ["GET", "POST", "DELETE"],
    allowedHeaders: SENT,
    exposedHeaders: READABLE,
    // Pages of other origins send keys in a header. The cookies of our routes are only for pages of the same site.
    credentials: false,
    maxAge: PREFLIGHT_SECONDS,
  });
}
