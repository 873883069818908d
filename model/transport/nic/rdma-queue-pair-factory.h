/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_PAIR_FACTORY_H
#define RDMA_QUEUE_PAIR_FACTORY_H

#include "rdma-queue-pair.h"

#include <ns3/attribute.h>
#include <ns3/object-factory.h>
#include <ns3/ptr.h>

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Creates the queue pairs of a NIC, with the attributes of RdmaNic::SetQueuePairAttribute().
 */
class RdmaQueuePairFactory
{
  public:
    RdmaQueuePairFactory();

    /** \param name an attribute of RdmaQueuePair \param value its value in queue pairs to come */
    void Set(const std::string& name, const AttributeValue& value);

    /** \return a new queue pair */
    Ptr<RdmaQueuePair> Create() const;

    /**
     * Creates a queue pair as Create() does, but reads default values of attributes only once, for
     * the first such queue pair after the last Set().
     *
     * \return a new queue pair
     */
    Ptr<RdmaQueuePair> CreateAlike();

    /** Reads the default values of attributes for CreateAlike(), unless they have been read. */
    void MakePattern();

    /** Releases the pattern of CreateAlike(). */
    void Clear()
    {
        m_pattern = nullptr;
    }

  private:
    ObjectFactory m_factory;      //!< factory of queue pairs
    Ptr<RdmaQueuePair> m_pattern; //!< pattern of CreateAlike(); null until it is needed
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_FACTORY_H */
