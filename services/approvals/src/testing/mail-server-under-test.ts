import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { MAIL_CERT, MAIL_KEY } from "./mail-certificate.ts";

/** A mail that a server accepted. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  readonly user: string | undefined;
  /** The whole mail as it arrived, with its headers. */
  readonly raw: string;
}

/** How a mail server behaves. A status of 0 accepts the mail. */
export interface MailServerRules {
  readonly port?: number;
  /** Returns the status for a recipient. `count` is the number of the attempt. */
  readonly recipient?: (address: string, count: number) => number;
  /** Whether it offers TLS. */
  readonly offersTls?: boolean;
  readonly password?: string;
  /** Makes the server read mails without ever accepting them. */
  readonly silent?: boolean;
}

/** Starts a real SMTP server on this machine. */
export async function mailServer({ port = 0, recipient = () => 0, offersTls = true, password, silent = false }: MailServerRules = {}) {
  const mails: Mail[] = [];
  let count = 0;
  const options: SMTPServerOptions = {
    key: MAIL_KEY,
    cert: MAIL_CERT,
    logger: false,
    disableReverseLookup: true,
    authOptional: password === undefined,
    hideSTARTTLS: !offersTls,
    ...(offersTls ? {} : { disabledCommands: ["STARTTLS", "AUTH"] }),
    onAuth: ({ username, password: given }, _session, done) =>
      given === password ? done(null, { user: username }) : done(Object.assign(new Error("No."), { responseCode: 535 })),
    onRcptTo({ address }, _session, done) {
      const responseCode = recipient(address, count);
      done(responseCode === 0 ? null : Object.assign(new Error("what the server says"), { responseCode }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        if (silent) return;
        mails.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: session.user as string | undefined,
          raw: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  };
  const server = new SMTPServer(options);
  server.on("error", () => undefined);
  server.server.on("connection", () => void count++);
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    /** The number of connections so far. */
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      for (const connection of server.connections) connection.close();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
