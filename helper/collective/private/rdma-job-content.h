/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_JOB_CONTENT_H
#define RDMA_JOB_CONTENT_H

#include "rdma-expression.h"
#include "rdma-part.h"
#include "rdma-ps.h"
#include "rdma-schedule-network.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * Text with expressions in braces, as in "layer {2 - i}".
 */
struct RdmaJobText
{
    /** A piece of the text. */
    struct Piece
    {
        std::string text;                         //!< ordinary text
        std::optional<RdmaExpression> expression; //!< what follows the text
    };

    std::vector<Piece> pieces; //!< the pieces in order

    /** \return the text \param values values of the names */
    std::string Get(const std::vector<int64_t>& values) const
    {
        std::string text;
        for (const Piece& piece : pieces)
        {
            text += piece.text;
            if (piece.expression)
            {
                text += std::to_string(piece.expression->GetNumber(values));
            }
        }
        return text;
    }
};

/**
 * \ingroup rdma-collective
 * Ranks of a job that exchange messages.
 */
struct RdmaJobGroup
{
    std::string name;                                   //!< name of the group
    uint8_t priority{RdmaScheduleMessage::NO_PRIORITY}; //!< traffic class
    std::vector<std::vector<uint32_t>> lists;           //!< ranks of the job
};

/**
 * \ingroup rdma-collective
 * An operation of a step, or a loop.
 */
struct RdmaJobOperation
{
    /** What it does. */
    enum class Kind
    {
        COMPUTE,
        COLLECTIVE,
        SEND,
        RECEIVE,
        REPEAT,
    };

    Kind kind{Kind::COMPUTE};                //!< what it does
    uint64_t line{0};                        //!< its line in the file
    std::map<std::string, uint64_t> lines;   //!< lines of its keys
    RdmaExpression amount;                   //!< time, bytes, or number of repetitions
    std::optional<RdmaExpression> condition; //!< key "if"
    RdmaJobText name;                        //!< key "name"
    bool hasName{false};                //!< the operation has a name, so others can wait for it
    RdmaJobText stream;                 //!< key "stream"
    std::vector<RdmaJobText> after;     //!< key "after"
    uint8_t unit{0};                    //!< COMPUTE: unit of the rank
    RdmaPart collective;                //!< COLLECTIVE: the part
    std::size_t group{0};               //!< number of the group
    RdmaExpression peer;                //!< SEND, RECEIVE: rank of the other end
    RdmaExpression tag;                 //!< SEND, RECEIVE: tag
    bool isRendezvous{false};           //!< SEND: the data wait for the receive
    std::vector<RdmaJobOperation> body; //!< REPEAT: what is repeated
};

/**
 * \ingroup rdma-collective
 * What slows ranks down.
 */
struct RdmaJobStragglers
{
    std::vector<uint32_t> ranks; //!< the slow ranks, unless drawn
    double share{0};             //!< share of the ranks that are drawn
    double factor{1};            //!< their computing takes so many times as long
};

/**
 * \ingroup rdma-collective
 * A job.
 */
struct RdmaJobContent
{
    /// Places of the values of a rank, for expressions; those of groups and of loops follow.
    enum Place : uint8_t
    {
        RANKS_NAME, //!< number of ranks
        STEP_NAME,  //!< number of the step
        RANK_NAME,  //!< number of the rank
    };

    uint64_t line{0};                   //!< its line in the file
    std::string name;                   //!< key "name"
    uint32_t ranks{0};                  //!< key "ranks"
    uint32_t hosts{0};                  //!< key "hosts"
    uint32_t steps{1};                  //!< key "steps"
    RdmaPs start{0};                    //!< key "start"
    std::vector<RdmaJobGroup> groups;   //!< "all", and key "groups"
    RdmaJobStragglers stragglers;       //!< key "stragglers"
    std::vector<RdmaJobOperation> step; //!< key "step"
};

/**
 * \ingroup rdma-collective
 * What a file of jobs (RdmaJobFile) says.
 */
struct RdmaJobFileContent
{
    std::string path;                 //!< the file
    std::string placement{"blocks"};  //!< key "placement"
    uint64_t placementLine{0};        //!< line of that key
    std::vector<RdmaJobContent> jobs; //!< key "jobs"
};

} // namespace ns3

#endif /* RDMA_JOB_CONTENT_H */
