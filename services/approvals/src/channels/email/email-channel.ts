import { connect } from "node:net";
import { type ApprovalView, cardOf, deliveryIdOf, type WebhookDelivery } from "@toolbus/contracts";
import {
  type AttemptOutcome,
  type Channel,
  type EmailTarget,
  guardedLookup,
  NotPublic,
  type ResolveName,
  unreached,
} from "@toolbus/runtime";
import type { SMTPTransportOptions } from "nodemailer";
import { approvalPage } from "../approval-page.ts";
import { emailText } from "./email-text.ts";

export interface EmailChannelOptions {
  /** The address at which people reach approvals, or an empty text. */
  readonly publicUrl: string;
  /** Certificates to trust in addition to those of the system. Only tests use this option. Operators set `NODE_EXTRA_CA_CERTS` instead. */
  readonly ca?: string;
  /** Resolves names. By default the system resolves them. */
  readonly resolve?: ResolveName;
}

/**
 * Returns the channel that tells people by e-mail. A mail shows the card of the approval and links to its page. A repeated attempt sends the mail
 * under the same Message-ID, so that mail programs show it once. After a permanent refusal (5xx), the channel gives up at once.
 */
export function emailChannel(options: EmailChannelOptions): Channel<EmailTarget> {
  return {
    async send({ target, delivery, content, now, signal }) {
      const view = content.data as ApprovalView;
      const { subject, text, html } = emailText(cardOf(view, now), delivery.event, approvalPage(options.publicUrl, view.id));
      const { from, to } = target;
      // Most services send no mail, so they do not load the client.
      const { createTransport } = await import("nodemailer");
      try {
        const sent = await createTransport(transportOf(target, options, signal)).sendMail({
          from,
          to: [...to],
          envelope: { from, to: [...to] },
          subject,
          text,
          html,
          ...threadOf(delivery, view, from),
          date: new Date(now),
          headers: { "Auto-Submitted": "auto-generated" },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal,
        });
        const { rejectedErrors: refusals = [] } = sent;
        return refusals.length > 0 ? partly(refusals, to.length) : { kind: "delivered" };
      } catch (error) {
        return outcomeOf(error, signal);
      }
    },
  };
}

/**
 * Opens the connection itself, so that the mail goes to an address that was checked. Without TLS it sends nothing, unless the operator allows this.
 */
function transportOf(target: EmailTarget, { ca, resolve }: EmailChannelOptions, signal: AbortSignal): SMTPTransportOptions {
  const { host, port, tls, login, allowed } = target;
  return {
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    tls: { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) },
    ...(login ? { auth: { user: login.user, pass: login.password } } : {}),
    getSocket(_options, done) {
      const socket = connect({ host, port, lookup: guardedLookup(allowed, resolve), signal });
      const failed = (error: Error): void => done(error);
      socket.once("error", failed);
      socket.once("connect", () => {
        socket.off("error", failed);
        done(null, { connection: socket });
      });
    },
  };
}

/**
 * Returns the ids of a mail. Mails about one approval form a thread that begins with the first one. For a write with a plan, the first mail is the one
 * about the first plan, or an earlier one without a plan if its worker took long. So these mails name the ids of both, one of which may be unused.
 */
function threadOf({ deliveryId, subject, target }: WebhookDelivery, { plan }: ApprovalView, from: string): object {
  const domain = from.slice(from.indexOf("@") + 1);
  const idOf = (id: string): string => `<${id}@${domain}>`;
  const messageId = idOf(deliveryId);
  const firstOf = (round?: number): string => idOf(deliveryIdOf("approval.held", subject, target, round));
  const references = plan === undefined ? [firstOf()] : [firstOf(), firstOf(FIRST_PLAN)];
  if (messageId === references[0]) return { messageId };
  const inReplyTo = references.at(-1);
  return messageId === inReplyTo ? { messageId, references: firstOf() } : { messageId, inReplyTo, references };
}

const FIRST_PLAN = 1;

interface SmtpFault {
  readonly code?: string;
  /** The error code of the socket, which nodemailer replaces with its own code. */
  readonly originalCode?: string;
  readonly responseCode?: number;
}

function outcomeOf(error: unknown, signal: AbortSignal): AttemptOutcome {
  const { code, originalCode = code ?? "unknown fault", responseCode = 0 } = error as SmtpFault;
  if (signal.aborted || error instanceof NotPublic) return { kind: "failed", reason: unreached(error, signal) };
  if (code === "ETLS") return { kind: "failed", reason: "no TLS connection to it is possible" };
  if (code === "EAUTH" && responseCode >= 500) return { kind: "refused", reason: `it refused the login (${responseCode})` };
  if (responseCode >= 500) return { kind: "refused", reason: `it refused the mail (${responseCode})` };
  if (responseCode >= 400) return { kind: "failed", reason: `it answered ${responseCode}` };
  return { kind: "failed", reason: `it could not be reached (${originalCode})` };
}

/**
 * The other people got the mail. If any refusal is temporary, the mail is sent again, and they get it again under the same Message-ID.
 */
function partly(refusals: readonly { readonly responseCode?: number | undefined }[], all: number): AttemptOutcome {
  const codes = refusals.map(({ responseCode = 0 }) => responseCode);
  const temporary = codes.find((code) => code < 500);
  const reason = `it refused ${refusals.length} of ${all} addresses (${temporary ?? codes[0]})`;
  return { kind: temporary === undefined ? "refused" : "failed", reason };
}
