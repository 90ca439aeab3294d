/** Does something so many times, as many at a time as are given. Rejects with the first that fails. */
export async function atATime(width: number, times: number, act: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < times) await act(next++);
    }),
  );
}
