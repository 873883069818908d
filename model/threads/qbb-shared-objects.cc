/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-shared-objects.h"

#include "qbb-ecn-marker.h"
#include "qbb-net-device.h"
#include "rdma-congestion-control.h"
#include "rdma-nic.h"
#include "rdma-transport.h"

#include <ns3/abort.h>
#include <ns3/application.h>
#include <ns3/channel.h>
#include <ns3/net-device.h>
#include <ns3/node-list.h>
#include <ns3/pointer.h>
#include <ns3/random-variable-stream.h>

#include <map>
#include <set>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/** Search for an object that nodes of different parts of the simulation hold. */
class SharedObjectSearch
{
  public:
    /** \param getPart number of the part of the simulation to which a node belongs */
    explicit SharedObjectSearch(const std::function<uint32_t(const Node& node)>& getPart)
        : m_getPart(getPart)
    {
    }

    /** Looks at the objects of a node. \param node the node */
    void Visit(const Node& node)
    {
        m_node = &node;
        m_entered.clear();
        for (uint32_t i = 0; i < node.GetNDevices(); ++i)
        {
            if (const auto* port = dynamic_cast<QbbNetDevice*>(PeekPointer(node.GetDevice(i))))
            {
                VisitValues(*port);
            }
        }
        for (uint32_t i = 0; i < node.GetNApplications(); ++i)
        {
            VisitValues(*node.GetApplication(i));
        }
        for (auto objects = node.GetAggregateIterator(); objects.HasNext();)
        {
            const Ptr<const Object> object = objects.Next();
            if (object->GetInstanceTypeId().GetGroupName() == "Rdma")
            {
                VisitValues(*object);
            }
        }
        if (const auto nic = node.GetObject<RdmaNic>())
        {
            nic->ForEachQueue([this](const Object& queue) { VisitObject(queue); });
        }
    }

    /** \return two nodes and the first object that was found, or "" */
    const std::string& GetFound() const
    {
        return m_found;
    }

  private:
    /// What is known of a class
    struct Class
    {
        /// Nodes may share objects of the class: parts of the network, or objects without state
        bool isHarmless{false};
        bool isMadeToBeShared{false}; //!< objects of the class are made to be shared
        std::vector<Ptr<const AttributeAccessor>> pointers; //!< attributes whose values are objects
    };

    void VisitObject(const Object& object)
    {
        const Class& type = GetClass(object);
        if (type.isHarmless || !m_entered.insert(&object).second)
        {
            return;
        }
        if (!type.isMadeToBeShared)
        {
            const Node* const first = m_holders.emplace(&object, m_node).first->second;
            if (m_found.empty() && m_getPart(*first) != m_getPart(*m_node))
            {
                m_found = "nodes " + std::to_string(first->GetId()) + " and " +
                          std::to_string(m_node->GetId()) + " share one " +
                          object.GetInstanceTypeId().GetName();
            }
        }
        VisitValues(object);
    }

    /** Looks at the objects that are values of an object's attributes. */
    void VisitValues(const Object& object)
    {
        for (const auto& accessor : GetClass(object).pointers)
        {
            PointerValue value;
            const bool hasValue = accessor->Get(&object, value);
            if (const auto held = hasValue ? value.GetObject() : nullptr)
            {
                VisitObject(*held);
            }
        }
    }

    /** \return what is known of the class of an object */
    const Class& GetClass(const Object& object)
    {
        TypeId type = object.GetInstanceTypeId();
        // Objects of several classes of C++ may have one TypeId.
        const auto [place, isNew] = m_classes.try_emplace({type, typeid(object)});
        Class& found = place->second;
        if (!isNew)
        {
            return found;
        }
        found.isHarmless = dynamic_cast<const Node*>(&object) ||
                           dynamic_cast<const NetDevice*>(&object) ||
                           dynamic_cast<const Channel*>(&object) ||
                           dynamic_cast<const ConstantRandomVariable*>(&object);
        found.isMadeToBeShared = dynamic_cast<const RdmaTransport*>(&object) ||
                                 dynamic_cast<const RdmaCongestionControl*>(&object) ||
                                 dynamic_cast<const QbbEcnMarker*>(&object);
        for (bool more = true; more; more = type.HasParent(), type = type.GetParent())
        {
            for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
            {
                const TypeId::AttributeInformation attribute = type.GetAttribute(i);
                if (DynamicCast<const PointerChecker>(attribute.checker) &&
                    attribute.accessor->HasGetter())
                {
                    found.pointers.push_back(attribute.accessor);
                }
            }
        }
        return found;
    }

    const std::function<uint32_t(const Node& node)>& m_getPart;    //!< number of a node's part
    const Node* m_node{nullptr};                                   //!< the node that is looked at
    std::set<const Object*> m_entered;                             //!< objects of this node
    std::unordered_map<const Object*, const Node*> m_holders;      //!< first node with each object
    std::map<std::pair<TypeId, std::type_index>, Class> m_classes; //!< what is known of classes
    std::string m_found;                                           //!< what was found
};

} // namespace

std::string
FindQbbSharedObject(const std::function<uint32_t(const Node& node)>& getPart)
{
    SharedObjectSearch search(getPart);
    for (auto it = NodeList::Begin(); it != NodeList::End() && search.GetFound().empty(); ++it)
    {
        search.Visit(**it);
    }
    return search.GetFound();
}

void
RefuseQbbObjectsOfSharedRun()
{
    const std::string found =
        FindQbbSharedObject([](const Node& node) { return node.GetSystemId(); });
    NS_ABORT_MSG_IF(!found.empty(),
                    "rdma: " << found
                             << ", and are on different ranks of MPI, which have a copy each; "
                                "accepted: an object for each node");
}

} // namespace ns3
