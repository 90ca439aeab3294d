/** Calls `act` `times` times, with at most `width` calls at a time. Rejects with the first failure. */
export async function atATime(width: number, times: number, act: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < times) await act(next++);
    }),
  );
}
