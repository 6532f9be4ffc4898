import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** A page that asks for no key; HEAD is answered as GET is, without the body. */
export function mountPage(
  app: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>,
): void {
  app.route({ method: ['GET', 'HEAD'], url, handler })
}
