import type { Kind } from '../messages.ts';

/** What is wrong inside the origin: PHP, databases, memory and code. */
export const APPLICATIONS: readonly Kind[] = [
  {
    kind: 'PHP has no free workers',
    family: 'PHP',
    texts: [
      'PHP-FPM ¦ WARNING: [pool www] server reached pm.max_children setting ({num}), consider raising it',
      'PHP-FPM ¦ WARNING: [pool www] seems busy (you may need to increase pm.start_servers, or pm.min/max_spare_servers), spawning {d} children, there are 0 idle, and {num} total children',
      'nginx ¦ connect() to unix:/run/php/php8.{d}-fpm.sock failed (11: Resource temporarily unavailable) while connecting to upstream, client: {ip}',
    ],
  },
  {
    kind: 'PHP script needs too much memory',
    family: 'PHP',
    texts: [
      'PHP-FPM ¦ FastCGI sent in stderr: "PHP message: PHP Fatal error:  Allowed memory size of {bytes} bytes exhausted (tried to allocate {num} bytes) in /var/www/html{path} on line {num}" while reading response header from upstream',
      'PHP ¦ PHP Fatal error:  Out of memory (allocated {bytes}) (tried to allocate {num} bytes) in /srv/www{path} on line {num}',
    ],
  },
  {
    kind: 'PHP script takes too long',
    family: 'PHP',
    texts: [
      'PHP ¦ PHP Fatal error:  Maximum execution time of {sec} seconds exceeded in /var/www/html{path} on line {num}',
      'PHP-FPM ¦ WARNING: [pool www] child {pid}, script \'/var/www/html{path}\' (request: "GET /index.php") execution timed out ({sec}.{num} sec), terminating',
    ],
  },
  {
    kind: 'PHP is not running',
    family: 'PHP',
    texts: [
      'nginx ¦ connect() to unix:/run/php/php8.{d}-fpm.sock failed (2: No such file or directory) while connecting to upstream, client: {ip}',
      'Apache ¦ (2)No such file or directory: AH02454: FCGI: attempt to connect to Unix domain socket /run/php/php8.{d}-fpm.sock (*) failed',
    ],
  },
  {
    kind: "web server may not use PHP's socket",
    family: 'PHP',
    texts: [
      'nginx ¦ connect() to unix:/run/php/php8.{d}-fpm.sock failed (13: Permission denied) while connecting to upstream, client: {ip}',
      'Apache ¦ (13)Permission denied: AH02454: FCGI: attempt to connect to Unix domain socket /run/php/php8.{d}-fpm.sock (*) failed',
    ],
  },
  {
    kind: 'PHP finds no script',
    family: 'PHP',
    texts: [
      'nginx ¦ FastCGI sent in stderr: "Primary script unknown" while reading response header from upstream, client: {ip}',
      'PHP ¦ No input file specified.',
    ],
  },
  {
    kind: 'worker process crashes',
    family: 'resources',
    texts: [
      'PHP-FPM ¦ WARNING: [pool www] child {pid} exited on signal 11 (SIGSEGV - core dumped) after {sec}.{num} seconds from start',
      'nginx ¦ [alert] {pid}#{pid}: worker process {pid} exited on signal 11 (core dumped)',
      'Varnish ¦ Child ({pid}) died signal=11 (core dumped)',
    ],
  },
  {
    kind: 'process runs out of memory',
    family: 'resources',
    texts: [
      'Java ¦ java.lang.OutOfMemoryError: Java heap space',
      'Java ¦ java.lang.OutOfMemoryError: GC overhead limit exceeded',
      'Node ¦ FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
      'Linux ¦ Out of memory: Killed process {pid} (node) total-vm:{bytes}kB, anon-rss:{bytes}kB',
      'Go ¦ fatal error: runtime: out of memory',
    ],
  },
  {
    kind: 'no threads left',
    family: 'resources',
    texts: [
      'Java ¦ java.util.concurrent.RejectedExecutionException: Task {id} rejected from java.util.concurrent.ThreadPoolExecutor@{id}[Running, pool size = {num}, active threads = {num}]',
      'Java ¦ java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or process/resource limits reached',
    ],
  },
  {
    kind: 'endless recursion',
    family: 'code',
    texts: [
      'Java ¦ java.lang.StackOverflowError',
      'Node ¦ RangeError: Maximum call stack size exceeded',
      'Go ¦ runtime: goroutine stack exceeds {bytes}-byte limit',
    ],
  },
  {
    kind: 'database does not answer',
    family: 'database',
    texts: [
      'PHP ¦ SQLSTATE[HY000] [2002] Connection refused',
      'Postgres ¦ could not connect to server: Connection refused. Is the server running on host "{host}" ({ip}) and accepting TCP/IP connections on port 5432?',
      'WordPress ¦ Error establishing a database connection',
    ],
  },
  {
    kind: 'database has too many connections',
    family: 'database',
    texts: [
      'PHP ¦ SQLSTATE[HY000] [1040] Too many connections',
      'Postgres ¦ FATAL: sorry, too many clients already',
      'Postgres ¦ FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute',
    ],
  },
  {
    kind: 'no database connection free in the pool',
    family: 'database',
    texts: [
      'Java ¦ HikariPool-1 - Connection is not available, request timed out after {ms}ms (total={num}, active={num}, idle=0, waiting={num})',
      'Node ¦ SequelizeConnectionAcquireTimeoutError: Operation timeout',
      'Python ¦ sqlalchemy.exc.TimeoutError: QueuePool limit of size {d} overflow {d} reached, connection timed out, timeout {sec}.00',
    ],
  },
  {
    kind: 'database connection was lost',
    family: 'database',
    texts: [
      'PHP ¦ SQLSTATE[HY000]: General error: 2006 MySQL server has gone away',
      "Python ¦ (2013, 'Lost connection to MySQL server during query')",
      'Postgres ¦ FATAL: terminating connection due to administrator command',
      'Postgres ¦ server closed the connection unexpectedly. This probably means the server terminated abnormally before or while processing the request.',
    ],
  },
  {
    kind: 'database deadlock',
    family: 'database',
    texts: [
      'PHP ¦ SQLSTATE[40001]: Serialization failure: 1213 Deadlock found when trying to get lock; try restarting transaction',
      'Postgres ¦ ERROR: deadlock detected. Process {pid} waits for ShareLock on transaction {num}; blocked by process {pid}.',
    ],
  },
  {
    kind: 'database refuses the login',
    family: 'database',
    texts: [
      "PHP ¦ SQLSTATE[HY000] [1045] Access denied for user 'app'@'{ip}' (using password: YES)",
      'Postgres ¦ FATAL: password authentication failed for user "app"',
    ],
  },
  {
    kind: 'database takes no writes',
    family: 'database',
    texts: [
      'MySQL ¦ ERROR 1290 (HY000): The MySQL server is running with the --read-only option so it cannot execute this statement',
      'Postgres ¦ ERROR: cannot execute INSERT in a read-only transaction',
    ],
  },
  {
    kind: 'query takes too long',
    family: 'database',
    texts: [
      'Postgres ¦ ERROR: canceling statement due to statement timeout',
      'MySQL ¦ ERROR 3024 (HY000): Query execution was interrupted, maximum statement execution time exceeded',
      'MongoDB ¦ MongoServerError: operation exceeded time limit (code 50)',
    ],
  },
  {
    kind: 'database schema does not fit the code',
    family: 'database',
    texts: [
      "PHP ¦ SQLSTATE[42S22]: Column not found: 1054 Unknown column 'o.voucher' in 'field list'",
      'Postgres ¦ ERROR: column "voucher" of relation "orders" does not exist at character {num}',
      "PHP ¦ SQLSTATE[42S02]: Base table or view not found: 1146 Table 'shop.vouchers' doesn't exist",
    ],
  },
  {
    kind: 'Redis is full',
    family: 'database',
    texts: [
      "Redis ¦ OOM command not allowed when used memory > 'maxmemory'.",
      "Node ¦ ReplyError: OOM command not allowed when used memory > 'maxmemory'. (command: setex session:{id})",
    ],
  },
  {
    kind: 'Redis is still loading',
    family: 'database',
    texts: [
      'Redis ¦ LOADING Redis is loading the dataset in memory',
      'Node ¦ ReplyError: LOADING Redis is loading the dataset in memory (command: get session:{id})',
    ],
  },
  {
    kind: 'search has no memory',
    family: 'database',
    texts: [
      'Elasticsearch ¦ circuit_breaking_exception: [parent] Data too large, data for [<http_request>] would be [{bytes}/{d}gb], which is larger than the limit of [{bytes}/{d}gb]',
      'Elasticsearch ¦ es_rejected_execution_exception: rejected execution of coordinating operation [coordinating_and_primary_bytes={bytes}]',
    ],
  },
  {
    kind: 'search index is unavailable',
    family: 'database',
    texts: [
      'Elasticsearch ¦ search_phase_execution_exception: all shards failed',
      'Elasticsearch ¦ no_shard_available_action_exception: No shard available for [get [products-{num}][_doc][{id}]: routing [null]]',
    ],
  },
  {
    kind: 'code meets nothing where it expects something',
    family: 'code',
    texts: [
      'Java ¦ java.lang.NullPointerException: Cannot invoke "com.shop.Order.getId()" because "order" is null',
      "Node ¦ TypeError: Cannot read properties of undefined (reading 'price')",
      'Go ¦ http: panic serving {ip}:{port}: runtime error: invalid memory address or nil pointer dereference',
      'PHP ¦ PHP Fatal error:  Uncaught Error: Call to a member function getId() on null in /var/www/html{path}:{num}',
    ],
  },
  {
    kind: 'part of the program is missing',
    family: 'code',
    texts: [
      'Java ¦ java.lang.NoClassDefFoundError: com/shop/checkout/Voucher',
      "Node ¦ Error: Cannot find module '/srv/app/dist{path}' (code: MODULE_NOT_FOUND)",
      "Python ¦ ModuleNotFoundError: No module named 'shop.checkout'",
      'PHP ¦ PHP Fatal error:  Uncaught Error: Class "Shop\\Checkout\\Voucher" not found in /var/www/html{path}:{num}',
    ],
  },
  {
    kind: 'answer of another service is no JSON',
    family: 'code',
    texts: [
      'Node ¦ SyntaxError: Unexpected token \'<\', "<!DOCTYPE "... is not valid JSON',
      "Java ¦ com.fasterxml.jackson.core.JsonParseException: Unexpected character ('<' (code 60)): expected a valid value at [Source: (String); line: 1, column: {d}]",
      "Go ¦ invalid character '<' looking for beginning of value",
    ],
  },
  {
    kind: 'page template is missing',
    family: 'code',
    texts: [
      'Java ¦ org.thymeleaf.exceptions.TemplateInputException: Error resolving template [checkout/voucher], template might not exist',
      'Ruby ¦ ActionView::MissingTemplate (Missing template checkout/voucher, application/voucher with {:locale=>[:en]})',
    ],
  },
  {
    kind: 'a setting is missing',
    family: 'code',
    texts: [
      "Java ¦ java.lang.IllegalArgumentException: Could not resolve placeholder 'payment.api.key'",
      'Node ¦ Error: Missing required environment variable: PAYMENT_API_KEY',
    ],
  },
  {
    kind: 'origin is in maintenance',
    family: 'code',
    texts: [
      'WordPress ¦ Briefly unavailable for scheduled maintenance. Check back in a minute.',
      'Drupal ¦ The site is currently under maintenance. It should be back shortly.',
    ],
  },
  {
    kind: 'cross-site check fails',
    family: 'code',
    texts: [
      'Python ¦ Forbidden (CSRF cookie not set.): {path}',
      "Ruby ¦ ActionController::InvalidAuthenticityToken (Can't verify CSRF token authenticity.)",
      'Node ¦ ForbiddenError: invalid csrf token (code: EBADCSRFTOKEN)',
    ],
  },
];
