/** The commands as people look for them: a title, and the nouns that belong there. Help shows the first three commands of each. */
export const GROUPS: readonly { title: string; nouns: readonly string[] }[] = [
  { title: 'HTTPS and certificates', nouns: ['ssl', 'certificate'] },
  { title: 'Cache and zones', nouns: ['cache', 'zone'] },
  { title: 'Bots and request validation', nouns: ['bot', 'guardian'] },
  { title: 'Errors and logs', nouns: ['errors', 'log'] },
  { title: 'Statistics', nouns: ['stats'] },
  { title: 'Scripts and applications', nouns: ['variable', 'script', 'app', 'volume'] },
  { title: 'Databases, tokens and keys', nouns: ['database', 'token', 'key'] },
  { title: 'Reports, audit and rights', nouns: ['report', 'audit', 'approval', 'can-i', 'status', 'help'] },
];
