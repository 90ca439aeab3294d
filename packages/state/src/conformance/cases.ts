import { blobCases } from "./blobs.ts";
import type { ConformanceCase } from "./case.ts";
import { claimCases } from "./claims.ts";
import { commitCases } from "./commit.ts";
import { counterCases } from "./counters.ts";
import { durabilityCases } from "./durability.ts";
import { expiryCases } from "./expiry.ts";
import { feedCases } from "./feed.ts";
import { guardCases } from "./guards.ts";
import { indexPagingCases } from "./index-paging.ts";
import { lateCases } from "./late.ts";
import { limitCases } from "./limits.ts";
import { liveCases } from "./live.ts";
import { logCases } from "./logs.ts";
import { opRepeatCases } from "./op-repeats.ts";
import { racingWriterCases } from "./racing-writers.ts";

/** The whole contract of the state store, sentence by sentence. */
export const stateStoreCases: readonly ConformanceCase[] = [
  ...commitCases,
  ...guardCases,
  ...opRepeatCases,
  ...lateCases,
  ...counterCases,
  ...claimCases,
  ...logCases,
  ...feedCases,
  ...liveCases,
  ...indexPagingCases,
  ...blobCases,
  ...racingWriterCases,
  ...expiryCases,
  ...limitCases,
  ...durabilityCases,
];
