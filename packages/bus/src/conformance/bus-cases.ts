import { atLeastOnceCases } from "./at-least-once.ts";
import { broadcastCases } from "./broadcast.ts";
import type { BusCase } from "./bus-case.ts";
import { carriedCases } from "./carried.ts";
import { closeCases } from "./close.ts";
import { competingCases } from "./competing.ts";
import { concurrencyCases } from "./concurrency.ts";
import { deadLetterCases } from "./dead-letter.ts";
import { durableCases } from "./durable.ts";
import { nameCases } from "./names.ts";
import { orderCases } from "./order.ts";
import { publishCases } from "./publish.ts";
import { readyCases } from "./ready.ts";
import { replacementCases } from "./replacements.ts";
import { retryCases } from "./retry.ts";

/** All cases of the contract, grouped by area. */
export const busCases: readonly BusCase[] = [
  ...publishCases,
  ...nameCases,
  ...carriedCases,
  ...competingCases,
  ...concurrencyCases,
  ...atLeastOnceCases,
  ...retryCases,
  ...deadLetterCases,
  ...replacementCases,
  ...broadcastCases,
  ...closeCases,
  ...readyCases,
  ...orderCases,
  ...durableCases,
];
