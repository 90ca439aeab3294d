/** What a person of the story decides, if nobody is asked. */
export interface Planned {
  readonly decision: "approve" | "deny";
  readonly comment?: string;
  /** The arguments that the approver changes before approving. */
  readonly edit?: { readonly [name: string]: number | string };
}

/** One message of the story's customer service, with what a reader should see in it. */
export interface Step {
  readonly title: string;
  /** Each line names a tool with its arguments, so the offline rules make exactly this call. */
  readonly calls: readonly string[];
  readonly planned?: Planned;
  /** The shop loses its next answer to an effect in this table. This has the same result as a connection that breaks after the effect. */
  readonly losesAnswerTo?: string;
  /** Somebody changes the address of this order in the shop while the approver reads the card. */
  readonly changesMeanwhile?: { readonly order: string; readonly address: { readonly [part: string]: string } };
}

/** The ticket that a critical write needs, if nobody types another one. It has the form that the policy of the shop demands. */
export const TICKET = "SHOP-4711";

const call = (tool: string, args: object): string => `${tool} ${JSON.stringify(args)}`;

export const STORY: readonly Step[] = [
  {
    title: "A read or a compute needs no grant.",
    calls: [
      call("lookup_order", { order: "ORD-8821" }),
      call("get_balance", { customer: "CUS-17" }),
      call("validate_iban", { iban: "DE89 3704 0044 0532 0130 00" }),
    ],
  },
  {
    title: "A refund of up to 50 EUR is medium: policy grants it and audits it.",
    calls: [call("issue_refund", { order: "ORD-8821", amount: 35.5, reason: "The lamp arrived with a scratch." })],
  },
  {
    title: "A refund above 50 EUR is high: it waits for one approver.",
    calls: [call("issue_refund", { order: "ORD-8821", amount: 120, reason: "The chair was broken." })],
    planned: { decision: "approve" },
  },
  {
    title: "A mail to somebody outside the shop is high too. Deny this one, and see that nothing is sent.",
    calls: [
      call("send_email", {
        to: "lists@data-broker.example",
        subject: "Customers of May",
        text: "CUS-17 is Ada Lindqvist, Birkenweg 4, Hamburg.",
      }),
    ],
    planned: { decision: "deny", comment: "Personal data goes only to the customer's own address." },
  },
  {
    title:
      "The tool says that a refund above 1,000 EUR is critical. The policy of the shop is stricter: above 500 EUR. So this refund needs two approvers, one of them of finance, and a ticket.",
    calls: [call("issue_refund", { order: "ORD-8830", amount: 600, reason: "Three of four desks were damaged." })],
    planned: { decision: "approve" },
  },
  {
    title: "An approver may approve less: 90 EUR are asked for, and 60 EUR are refunded. The agent reads what was changed.",
    calls: [call("issue_refund", { order: "ORD-8821", amount: 90, reason: "The chair came late." })],
    planned: { decision: "approve", edit: { amount: 60 } },
  },
  {
    title:
      "The worker plans a new address, and the approver sees it beside the old one. But the customer changes the address meanwhile: nothing is sent, and the approver decides again with both plans.",
    calls: [call("update_address", { order: "ORD-8822", street: "Seestrasse 12", postcode: "8002", city: "Zurich", country: "CH" })],
    planned: { decision: "approve" },
    changesMeanwhile: { order: "ORD-8822", address: { street: "Bahnhofplatz 1", postcode: "8001", city: "Zurich", country: "CH" } },
  },
  {
    title: "The shop refunds and its answer is lost. It knows the key, so the worker repeats the request, and one refund exists.",
    calls: [call("issue_refund", { order: "ORD-8822", amount: 9.9, reason: "One notebook was missing." })],
    losesAnswerTo: "refunds",
  },
  {
    title: "The answer about a ticket is lost. The shop knows no key, but the worker can ask for the ticket by its reference.",
    calls: [
      call("create_support_ticket", { subject: "A notebook of ORD-8822 is missing", text: "Please check the shelf of the notebooks." }),
    ],
    losesAnswerTo: "tickets",
  },
  {
    title:
      "The answer about a mail is lost. A mail server knows neither key nor question, so the outcome stays unknown and nobody repeats it.",
    calls: [call("send_email", { to: "warehouse@shop.example", subject: "Notebooks", text: "Please count the notebooks." })],
    losesAnswerTo: "mails",
  },
];
