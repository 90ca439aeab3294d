import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

/**
 * How many requests one caller has made in a minute, which begins with its first request. Family `rate.<service>`, written by that service; expires with
 * the minute.
 */
export const RateMinute = Type.Object({ startedAt: Type.Integer(), count: Type.Integer({ minimum: 0 }) }, { additionalProperties: false });
export type RateMinute = Static<typeof RateMinute>;

export const parseRateMinute = parser(RateMinute);
