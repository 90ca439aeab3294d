import { startAsked } from "../asked-process.ts";

/** How a reader reads: at full speed, at full speed with the age of each event, this many bytes per second, or never. */
export type Manner = "reads" | "reads and times" | "never reads" | { readonly bytesPerSecond: number };

export interface OpenReaders {
  readonly kind: "open";
  readonly port: number;
  /** The bytes of the HTTP request. */
  readonly request: string;
  readonly count: number;
  readonly manner: Manner;
}

/** The questions to the process of the readers. */
export type ReaderQuestion =
  | OpenReaders
  | { readonly kind: "had"; readonly group: number; readonly events: number }
  | { readonly kind: "report" | "close" | "closed"; readonly group: number };

export interface ReaderReport {
  /** How many events each reader has received. */
  readonly events: readonly number[];
  /** How many connections are still open. A reader that does not read may not notice that its connection is closed. */
  readonly open: number;
  /** The ages of the events that arrived since the last report, in milliseconds. Only readers that record ages fill it. */
  readonly ages: readonly number[];
}

/** A group of connections to one stream. */
export interface Readers {
  /** Resolves when each reader has received this many events. */
  had(events: number): Promise<void>;
  report(): Promise<ReaderReport>;
  /**
   * Makes the readers that never read start to read. Returns how many of them find within two seconds that the server has closed their connection.
   */
  closedByServer(): Promise<number>;
  close(): Promise<void>;
}

/** A process that reads streams. */
export interface ReaderProcess {
  /** Opens the connections. Resolves when the server has answered all requests. Rejects if the server refuses a request. */
  open(url: string, apiKey: string, count: number, manner: Manner): Promise<Readers>;
  stop(): Promise<void>;
}

export function startReaders(): ReaderProcess {
  const { ask, stop } = startAsked<ReaderQuestion>(new URL("reader-process.ts", import.meta.url));
  return {
    async open(url, apiKey, count, manner) {
      const { port, host, pathname } = new URL(url);
      const request = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
      const { group } = (await ask({ kind: "open", port: Number(port), request, count, manner })) as { readonly group: number };
      return {
        had: async (events) => void (await ask({ kind: "had", group, events })),
        report: async () => (await ask({ kind: "report", group })) as ReaderReport,
        closedByServer: async () => ((await ask({ kind: "closed", group })) as { readonly closed: number }).closed,
        close: async () => void (await ask({ kind: "close", group })),
      };
    },
    stop,
  };
}
