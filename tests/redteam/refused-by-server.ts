/** Thrown when a server refuses an attacker's request, with the server's own message. */
export class RefusedByServer extends Error {
  override readonly name = "RefusedByServer";
}

/** Matches the error messages of Redis, RabbitMQ and NATS for a login without the right and for a client without a login. */
const REFUSALS =
  /NOPERM|WRONGPASS|NOAUTH|ACCESS_REFUSED|Permissions Violation|Authorization Violation|Authentication|executing the script can't access/i;

/** Awaits the work. Throws `RefusedByServer` if the server refused, and rethrows any other failure. */
export async function orRefused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const words = wordsOf(error);
    if (REFUSALS.test(words)) throw new RefusedByServer(words, { cause: error });
    throw error;
  }
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause === undefined || wordsOf(cause) === message ? message : `${message} (${wordsOf(cause)})`;
}
