/**
 * The policy without a POLICY_FILE: members read, but for keys, customers' data, whole logs and the audit; those whom
 * EDGEWISE_ADMINS lists may everything. A file takes over each of the two roles that it does not write.
 */
export const BUILT_IN = `
roles:
  admins:
    allow: ['*']
  everybody:
    allow:
      - effect: read
        except: [key list, database query, log download, audit *]
`;
