// A fault that nobody expects, in a place that nobody knows: put before the bot by NODE_OPTIONS.
process.on('SIGUSR2', () => {
  void Promise.reject(new Error('a fault of a test', { cause: new Error('its cause') }));
});
