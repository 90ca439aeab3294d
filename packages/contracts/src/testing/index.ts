export { pendingPayment } from "./pending-payment.ts";
export { RECORDED_RUN, runRecord } from "./run-record.ts";
