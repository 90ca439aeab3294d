import type { Goal } from "../goal.ts";
import { type Aims, type Ground, speedRows, withLoop } from "./ground.ts";
import type { LoopContender } from "./loop-contender.ts";
import type { Tools } from "./loop.ts";

/** Compares our loop, and that of the earlier commit if there is one, with the loop by hand. */
export async function contest(
  place: string,
  tools: () => Tools,
  aims: Aims,
  ours: LoopContender,
  ground: Ground,
): Promise<readonly Goal[]> {
  return withLoop("by hand", tools(), ground, async (theirs) => {
    const rows = await speedRows({ tools: place, whose: "" }, aims, ours, theirs, ground);
    const { before } = ground;
    if (before === null) return rows;
    return withLoop({ checkout: before }, tools(), ground, async (earlier) => [
      ...rows,
      ...(await speedRows({ tools: place, whose: "the build before: " }, aims, earlier, theirs, ground)),
    ]);
  });
}
