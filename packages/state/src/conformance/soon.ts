const DEADLINE_MS = 2000;

/** Returns the value of a promise that must resolve within two seconds. Otherwise rejects with an error that names what was awaited. */
export async function soon<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${DEADLINE_MS} ms for ${what}.`)), DEADLINE_MS);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
