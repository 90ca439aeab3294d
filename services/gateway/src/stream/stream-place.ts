import { HttpProblem, type Principal } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";
import type { Place } from "./open-streams.ts";

/** Reserves a place for one more stream of this principal. Throws the problem if the principal already has the maximum. */
export function takePlace({ streams, config }: Pick<Gateway, "streams" | "config">, { id, tenant }: Principal): Place {
  const place = streams.take(JSON.stringify([tenant, id]));
  if (place) return place;
  throw new HttpProblem(
    "rate_limited",
    `This principal already has ${config.SSE_PER_PRINCIPAL} open streams.`,
    { remedy: "Close one first." },
    { "retry-after": "5" },
  );
}
