/** An OpenAPI definition as an application has one, for `POST /shield/shield-zone/{zone}/api-guardian/spec`. */
const document = {
  openapi: '3.0.3',
  info: { title: 'Checkout API', version: '2.1.0' },
  security: [{ apiKey: [] }],
  paths: {
    '/v1/orders': {
      get: {
        parameters: [{ name: 'state', in: 'query', schema: { type: 'string' } }],
        responses: { 200: { description: 'Orders' } },
      },
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['product'],
                properties: { product: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
              },
            },
          },
        },
        responses: { 201: { description: 'Ordered' } },
      },
    },
    '/v1/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { responses: { 200: { description: 'One order' } } },
    },
  },
  components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
};

export const definition = { name: 'checkout.json', content: JSON.stringify(document, null, 2) };
