/** Signs the requests of this bench; beside the servers, which import far more than the one who asks needs. */
export const SIGNING_SECRET = 'signing-secret-of-the-bench';
