/** A server refused an attacker's request, with its own message. */
export class RefusedByServer extends Error {
  override readonly name = "RefusedByServer";
}

/** The answers of Redis, RabbitMQ and NATS to a login without the right, and to none. */
const REFUSALS =
  /NOPERM|WRONGPASS|NOAUTH|ACCESS_REFUSED|Permissions Violation|Authorization Violation|Authentication|executing the script can't access/i;

/** Runs it, and distinguishes a refusal by the server from any other failure. */
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
