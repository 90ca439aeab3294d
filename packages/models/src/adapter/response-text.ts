// The maximum number of characters to read. A vendor's explanation is shorter, but an error page of a proxy may be longer.
const MAX_CHARS = 65_536;

/**
 * Returns the beginning of an answer that is not a stream, as far as it arrives. It never rejects for a broken answer, because the status already
 * shows the most important part. `most` is in characters.
 */
export async function beginningOf(response: Response, most = MAX_CHARS): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (text.length < most) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += decoder.decode(value, { stream: true });
    }
    // Cancelling drops the rest of the answer and closes the connection.
    await reader.cancel();
  } catch {
    // The answer was cut off, or the request was aborted and nobody waits for the text any more.
  }
  return text.slice(0, most);
}
