import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

/**
 * The number of requests that one caller has made in a minute. The minute begins with its first request. Each service writes its own family
 * `rate.<service>`, and the document expires with the minute.
 */
export const RateMinute = Type.Object({ startedAt: Type.Integer(), count: Type.Integer({ minimum: 0 }) }, { additionalProperties: false });
export type RateMinute = Static<typeof RateMinute>;

export const parseRateMinute = parser(RateMinute);
